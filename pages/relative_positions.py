"""How far, not where: the relative shift, what heads make of distances, and longer segments than were trained."""

import streamlit as st

from txlviz.ui import models, session
from txlviz.ui.positions import controls, figures, folds
from txlviz.ui.positions.words import labels, prose

with st.container(key="txl-position-opening", horizontal=True, vertical_alignment="center", gap="medium"):
    st.title(prose("title"), anchor=False, width="content")
    st.markdown(prose("opening"), width="stretch")
settings = session.controls()
model = models.checkpoint(settings.preset, "xl").config
tokens = models.trace(settings.preset, "xl", settings.text, settings.segment_length, settings.memory_length).inputs
choice = controls.draw(labels(), model.n_layers, model.n_heads, len(tokens))
figures.stepper(settings, choice, tokens)
st.markdown(prose("meaning"))

left, right = st.columns(2, gap="large")
with left:
    figures.curves(settings, choice)
with right:
    figures.lengths(settings)

folded = {
    "fold_collide": lambda: folds.collide(settings, choice, tokens),
    "fold_rewrite": lambda: folds.rewritten(settings, choice, tokens),
    "fold_sinusoids": lambda: folds.table_of_sinusoids(settings),
}
for name, draw in folded.items():
    with st.expander(prose(name), key=f"positions_{name}", on_change="rerun") as fold:
        if fold.open:
            draw()
