"""How much context is used: reach against use, distant context changed, and one token of the past swapped."""

import streamlit as st

from txlviz.ui import session
from txlviz.ui.effective_context import folds, measured, swap
from txlviz.ui.effective_context.distant import Distant
from txlviz.ui.effective_context.words import prose
from txlviz.ui.typed import other_script

settings = session.controls()
with st.container(key="txl-opening", horizontal=True, vertical_alignment="center", gap="medium"):
    st.title(prose("title"), anchor=False, width="content")
    st.markdown(prose("opening"), width="stretch")
record = measured.record(settings.preset)
if record is not None:
    measured.draw(settings, record)
if other_script(settings.text):
    st.info(prose("other_script"))
distant = Distant(settings)
distant.draw()
swap.draw(settings)
if record is not None:
    folds.recl(record)
    folds.how(record)
distant.finish()
