"""The same text, cut at other places: who pays for it?"""

import streamlit as st

from txlviz.ui import session
from txlviz.ui.fragmentation import bill, cuts, figures, moving, position, views
from txlviz.ui.fragmentation.words import prose

settings = session.controls()
inputs = cuts.inputs(settings)
left, right = st.columns([3, 8], gap="medium", vertical_alignment="center")
left.title(prose("title"), anchor=False)
right.markdown(figures.opening(settings, len(inputs) - 1))
moving.draw(settings)

st.header(prose("position_head"), anchor=False)
position.draw(settings.preset)

st.header(prose("seen_head"), anchor=False)
st.markdown(prose("seen"))
views.draw(settings, inputs)

st.header(prose("bill_head"), anchor=False)
bill.draw(settings, len(inputs) - 1)

with st.expander(prose("fold")):
    st.markdown(prose("fold_text"))
