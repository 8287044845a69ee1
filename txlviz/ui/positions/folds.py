"""The folded parts of the Relative positions page: each is computed when it is opened."""

from __future__ import annotations

from typing import Any

import streamlit as st

import txlviz
from txlviz.analysis.collisions import by_distance, collision, renumbered
from txlviz.analysis.position_curves import sinusoid_table
from txlviz.analysis.rewrite import Rewrite, rewrite
from txlviz.figures import colours
from txlviz.figures import positions_folded as figures
from txlviz.figures.score_terms import TERMS
from txlviz.ui import models, theme
from txlviz.ui.chart import chart
from txlviz.ui.positions import controls
from txlviz.ui.positions.controls import Choice
from txlviz.ui.positions.words import labels, prose
from txlviz.ui.session import Settings
from txlviz.ui.term_table import Row, term_table

_SHOWN_DISTANCES = 128


def collide(settings: Settings, choice: Choice, tokens: list[str]) -> None:
    """Old numbers collide; and what was kept can't be renumbered."""
    vanilla, words, L = models.checkpoint(settings.preset, "vanilla"), labels(), settings.segment_length
    query = controls.selected(len(tokens))
    st.markdown(prose("collide"))
    if query < L:
        st.info(prose("collide_one"))
    else:
        found = models.remembered(collision, vanilla, settings.text, L, query)
        terms = {term: found.terms[term][choice.head] for term in TERMS}
        named = [("collide_far", 0, L), ("collide_near", 1, 0)]
        rows = [
            Row(
                words[name].format(key=_shown(tokens, found.keys[n]), j=found.keys[n], number=found.number, distance=distance),
                {term: float(values[n]) for term, values in terms.items()},
            )
            for name, n, distance in named
        ]
        verdicts = {term: words["same" if values[0] == values[1] else "other"] for term, values in terms.items()}
        rows.append(Row(words["collide_compare"], verdicts))
        caption = words["collide_caption"].format(
            query=_shown(tokens, query), i=query, number=found.number, head=choice.head + 1
        )
        heads = {term: words[f"term_{term}"] for term in TERMS}
        term_table(rows, heads, caption=caption, name="txlviz-collision", key="collision")
        scores = models.remembered(by_distance, models.checkpoint(settings.preset, "xl"), settings.text, query, (0, L))
        near, far = (f"{score:.3f}".replace("-", "−") for score in scores[choice.head])
        st.markdown(prose("collide_rel").format(near=0, far=L, near_score=near, far_score=far))
    _renumber(settings)


def _renumber(settings: Settings) -> None:
    words = labels()
    made = models.remembered(renumbered, models.checkpoint(settings.preset, "vanilla"), settings.text)
    low, high = (f"{numbers[0]} to {numbers[-1]}" for numbers in made.numbers)
    st.markdown(prose("renumber").format(width=len(made.numbers[0]), low=low, high=high))
    chart(
        figures.renumbering(made.change, made.left, theme.model_colours()["vanilla"], words),
        figures.renumbering_facts(made.change, made.left, words),
        title=words["renumber_title"],
        name="txlviz-renumbering",
        alt=words["renumber_alt"],
        key="renumbering",
    )


def rewritten(settings: Settings, choice: Choice, tokens: list[str]) -> None:
    """A^abs becomes A^rel, with the numbers of both ends for one pair of tokens."""
    words, L = labels(), settings.segment_length
    query = controls.selected(len(tokens))
    st.markdown(prose("rewrite"))
    number = query % L
    distance = min(2, number)
    if number:
        st.session_state.setdefault("positions_back", distance)
        st.session_state["positions_back"] = min(st.session_state["positions_back"], number)
        distance = int(st.slider(words["key_back"], 0, number, key="positions_back", width=420))
    pair = (models.checkpoint(settings.preset, "xl"), models.checkpoint(settings.preset, "vanilla"))
    made = models.remembered(_rewritten, pair, settings.text, L, query, distance, choice.head)
    names = [words["rewrite_abs"], *(words["rewrite_step"].format(n=n) for n in (1, 2)), words["rewrite_rel"]]
    ends = {0: made.absolute, 3: made.relative}
    rows = []
    for n, name in enumerate(names):
        formulas = {term: words[f"formula_{n}_{term}"] for term in TERMS}
        if n in ends:
            rows.append(Row(name, ends[n], formulas, sum(ends[n].values())))
        else:
            rows.append(Row(name, {}, formulas, words["rewrite_no_model"]))
    key = query - distance
    caption = words["rewrite_key"].format(
        query=_shown(tokens, query), i=query, key=_shown(tokens, key), j=key, head=choice.head + 1
    )
    heads = {term: words[f"term_{term}"] for term in TERMS}
    term_table(rows, heads, caption=caption, total=words["rewrite_sum"], name="txlviz-rewrite", key="rewrite")
    _say_steps(made, distance, pair[1].config.segment_length)


def _rewritten(pair: tuple[txlviz.Checkpoint, txlviz.Checkpoint], *args: Any) -> Rewrite:
    return rewrite(*pair, *args)


def _say_steps(made: Rewrite, distance: int, trained: int) -> None:
    st.markdown(prose("rewrite_step_1").format(number_key=made.number_key, distance=distance))
    numbers = {"smallest": made.asked[0], "largest": made.asked[1], "u": made.biases[0], "v": made.biases[1]}
    st.markdown(prose("rewrite_step_2").format(trained=trained, **{name: f"{value:.1f}" for name, value in numbers.items()}))
    st.markdown(prose("rewrite_step_3").format(cosine=f"{made.key_cosine:+.2f}".replace("-", "−")))


def table_of_sinusoids(settings: Settings) -> None:
    """R for the first distances."""
    words, D = labels(), models.checkpoint(settings.preset, "xl").config.d_model
    R = sinusoid_table(_SHOWN_DISTANCES, D)
    stops = colours.DIVERGING_DARK if theme.scheme() == "dark" else colours.DIVERGING_LIGHT
    st.markdown(prose("sinusoids").format(half=D // 2))
    chart(
        figures.sinusoid_map(R, stops, words),
        figures.sinusoid_facts(R, words),
        title=words["sinusoids_title"].format(D=D),
        name="txlviz-sinusoids",
        alt=words["sinusoids_alt"],
        key="sinusoids",
    )


def _shown(tokens: list[str], place: int) -> str:
    """A token without its leading gap."""
    token = tokens[place]
    return token[1:] if len(token) > 1 and token.startswith("␣") else token
