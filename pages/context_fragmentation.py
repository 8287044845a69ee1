"""The same text, cut at other places: who pays for it?"""

import streamlit as st

from txlviz.ui import session
from txlviz.ui.fragmentation import bill, cuts, figures, position, views
from txlviz.ui.fragmentation.words import label, prose
from txlviz.ui.typed import other_script

settings = session.controls()
with st.container(key="txl-opening", horizontal=True, vertical_alignment="center", gap="medium"):
    st.title(prose("title"), anchor=False, width="content")
    st.markdown(prose("opening"), width="stretch")
left, right = st.columns([3, 2], gap="large", vertical_alignment="center")
with left:
    cut = cuts.control(settings.segment_length)
right.markdown(prose("formula"), help=prose("formula_note"))
reading = cuts.read(settings, cut)
figures.strip(reading)
st.markdown(figures.this_cut(reading))
if other_script(settings.text):
    st.info(prose("other_script"))
left, right = st.columns([3, 2], gap="large")
with left:
    figures.difference(reading)
token_slot = right.empty()
all_slot = st.empty()

st.header(prose("position_head"), anchor=False)
position.draw(settings.preset)

st.header(prose("seen_head"), anchor=False)
st.markdown(prose("seen"))
views.draw(settings, reading.inputs)

st.header(prose("bill_head"), anchor=False)
bill.draw(settings, len(reading.inputs) - 1)

with st.expander(prose("fold")):
    st.markdown(prose("fold_text"))

# Last, so that the page stands before the other cuts are computed.
cuts.fill(settings, reading, lambda share, done: token_slot.progress(share, label("filling", L=reading.L, done=done)))
with token_slot.container():
    figures.one_token(reading)
all_slot.markdown(figures.all_cuts(reading))
