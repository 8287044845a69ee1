"""Start: a name returns after two segments. What is the memory worth?"""

import streamlit as st

from txlviz.analysis.story import MEMORY_LENGTHS, StoryError
from txlviz.ui import models, scores, segment_means, session, start_record, story_view, text
from txlviz.ui.guess_bars import guess_bars
from txlviz.ui.token_strip import per_place, token_strip
from txlviz.ui.typed import other_script

prose = text.Words("start").prose


def story() -> None:
    """The recorded story: no model runs."""
    try:
        record = start_record.read()
    except StoryError as error:
        st.warning(prose("missing"))
        st.code(str(error), language=None, wrap_lines=True)
        return
    told = record.story
    st.title(prose("title"), anchor=False)
    st.markdown(prose("opening", name=told.name), help=prose("help_token"))
    if "memory" not in st.session_state or session.went_back():
        st.session_state["memory"] = session.read("memory", MEMORY_LENGTHS, MEMORY_LENGTHS[-1])
    with st.container(key="txl-story", horizontal=True, vertical_alignment="bottom", gap="medium"):
        memory = st.segmented_control(
            "Memory of the Transformer-XL, in tokens",
            MEMORY_LENGTHS,
            required=True,
            key="memory",
            persist_state="session",
        )
        memory = memory if memory in told.xl else MEMORY_LENGTHS[-1]
        session.write("memory", memory, MEMORY_LENGTHS[-1])
        with st.container(horizontal=True, gap="medium", width="content"):
            story_view.odds(told, memory)
        with st.container(key="txl-factors"):
            st.markdown(story_view.factors(told, memory))
    story_view.strip(told, memory)
    left, right = st.columns(2, gap="large")
    left.markdown(story_view.meaning(told, memory))
    right.markdown(scores.sentence(len(record.stories)), help=prose("help_perplexity"))
    right.table(scores.table(models.DEFAULT_PRESET), border="horizontal")
    with st.expander(prose("fold")):
        st.markdown(prose("fold_text"))
        st.table(story_view.cases(record), border="horizontal")
        st.caption(f"{prose('scores_title')} {text.prose('common', 'scored_text')}")
        st.table(scores.table(*reversed(models.PRESETS)), border="horizontal")


def own() -> None:
    """Any text, live."""
    st.header(prose("own"), anchor=False)
    st.markdown(prose("own_opening"))
    settings = session.controls(height=120)
    preset, typed, L, M = settings.preset, settings.text, settings.segment_length, settings.memory_length
    xl, vanilla = (models.trace(preset, kind, typed, L, M) for kind in ("xl", "vanilla"))
    selected = session.selected_token()
    token_strip(
        xl.inputs,
        [segment.start for segment in xl.segments],
        xl=per_place(xl.losses),
        vanilla=per_place(vanilla.losses),
        memory=story_view.remembered(xl, selected),
        selected=selected,
        on_select=session.select_token,
        label="Your words as tokens, with the surprise of both models",
        name="surprise",
        key="own_strip",
    )
    better = 100 * float((xl.losses < vanilla.losses).mean())
    surprise = prose("surprise", xl=xl.losses.mean(), vanilla=vanilla.losses.mean(), share=better)
    by_segment = segment_means.sentence(xl.losses - vanilla.losses, [segment.start for segment in xl.segments], M)
    st.markdown(f"{surprise} {by_segment}", help=prose("help_nats"))
    if other_script(typed):
        st.info(prose("other_script"))
    st.subheader(prose("guesses"), anchor=False)
    guess_bars({kind: models.guesses(preset, kind, typed, L, M, top=8) for kind in ("xl", "vanilla")}, key="guesses")


story()
own()
st.page_link("pages/score_terms.py", label=prose("onward"), icon=":material/arrow_forward:", query_params=session.address())
