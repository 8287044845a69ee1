"""Claims, checked: what papers and write-ups say about Transformer-XL, beside what these models measure."""

import streamlit as st

from txlviz.ui import session
from txlviz.ui.claims import view
from txlviz.ui.claims.words import prose

with st.expander(prose("strip_fold")):
    st.markdown(prose("strip_fold_text"))
    session.controls()
with st.container(key="claims-opening", horizontal=True, vertical_alignment="center", gap="medium"):
    st.title(prose("title"), anchor=False, width="content")
    st.markdown(prose("opening"), width="stretch")
view.draw()
