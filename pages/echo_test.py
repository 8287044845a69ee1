"""How far back can it copy?"""

import streamlit as st

from txlviz.ui import session
from txlviz.ui.echo import controls, folds, sentences, training, view
from txlviz.ui.echo.words import prose


def test() -> None:
    """The recorded models, their cliff, and a pair trained here."""
    try:
        record = view.record()
    except ValueError as error:
        st.warning(prose("missing"))
        st.code(str(error), language=None, wrap_lines=True)
        return
    choice = controls.draw(record)
    left, right = st.columns([2.1, 1], gap="large")
    with left:
        view.accuracy(record, choice)
    with right:
        sentences.draw(record, choice)
    view.strip(choice)
    st.markdown(prose("meaning"))
    training.draw(choice, record.tested_memories())
    folds.relays(record)
    folds.how(record)


left, right = st.columns([4, 7], gap="medium", vertical_alignment="center")
left.title(prose("title"), anchor=False)
right.markdown(prose("opening"))
test()
with st.expander(prose("strip_fold")):
    st.markdown(prose("strip_fold_text"))
    session.controls()
