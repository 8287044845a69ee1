"""How far back can it copy?"""

import streamlit as st

from txlviz.ui import echo_controls, echo_folds, echo_sentences, echo_training, echo_view, session
from txlviz.ui.echo_view import prose


def test() -> None:
    """The recorded models, their cliff, and a pair trained here."""
    try:
        record = echo_view.record()
    except ValueError as error:
        st.warning(prose("missing"))
        st.code(str(error), language=None, wrap_lines=True)
        return
    choice = echo_controls.draw(record)
    left, right = st.columns([2.1, 1], gap="large")
    with left:
        echo_view.accuracy(record, choice)
    with right:
        echo_sentences.draw(record, choice)
    echo_view.strip(choice)
    st.markdown(prose("meaning"))
    echo_training.draw(choice, record.tested_memories())
    echo_folds.relays(record)
    echo_folds.how(record)


with st.expander(prose("strip_fold")):
    st.markdown(prose("strip_fold_text"))
    session.controls()
st.title(prose("title"), anchor=False)
st.markdown(prose("opening"))
test()
