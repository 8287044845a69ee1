"""How far, not where: the relative shift, what heads make of distances, and longer segments than were trained."""

import streamlit as st

from txlviz.ui import models, positions, positions_controls, positions_folds, session

prose, words = positions.prose, positions.labels()

with st.container(key="txl-position-opening", horizontal=True, vertical_alignment="center", gap="medium"):
    st.title(prose("title"), anchor=False, width="content")
    st.markdown(prose("opening"), width="stretch")
settings = session.controls()
model = models.checkpoint(settings.preset, "xl").config
tokens = models.trace(settings.preset, "xl", settings.text, settings.segment_length, settings.memory_length).inputs
choice = positions_controls.draw(words, model.n_layers, model.n_heads, len(tokens))
positions.stepper(settings, choice, tokens)
st.markdown(prose("meaning"))

left, right = st.columns(2, gap="large")
with left:
    positions.curves(settings, choice)
with right:
    positions.lengths(settings)

folds = {
    "fold_collide": lambda: positions_folds.collide(settings, choice, tokens),
    "fold_rewrite": lambda: positions_folds.rewritten(settings, choice, tokens),
    "fold_sinusoids": lambda: positions_folds.table_of_sinusoids(settings),
}
for name, draw in folds.items():
    with st.expander(prose(name), key=f"positions_{name}", on_change="rerun") as fold:
        if fold.open:
            draw()
