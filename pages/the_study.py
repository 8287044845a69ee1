"""The study: both models of a preset, one budget, WikiText-2. What did the memory buy?"""

import streamlit as st

from txlviz.ui import session
from txlviz.ui.study import curves, folds, guess, runs, scores, tokens
from txlviz.ui.study.words import prose

with st.expander(prose("strip_fold")):
    st.markdown(prose("strip_fold_text"))
    settings = session.controls()
with st.container(key="study-opening", horizontal=True, vertical_alignment="center", gap="medium"):
    st.title(prose("title"), anchor=False, width="content")
    st.markdown(prose("opening"), width="stretch")
recorded = runs.read(settings.preset)
choice = guess.draw(settings.preset)
scores.draw(recorded, choice)
if choice.revealed:
    scores.table(recorded)
    curves.draw(recorded)
    tokens.gap(recorded)
    tokens.returns(recorded)
    folds.texts(recorded)
folds.budget(recorded)
