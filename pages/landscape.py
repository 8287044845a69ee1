"""Landscape: the systems that write-ups compare, on the same text. Pick two."""

import streamlit as st

from txlviz.ui import models, session
from txlviz.ui.landscape import controls, cost, encodings, patterns, quality, reading
from txlviz.ui.landscape.words import prose
from txlviz.ui.typed import other_script

with st.container(key="landscape-opening", horizontal=True, vertical_alignment="center", gap="medium"):
    st.title(prose("title"), anchor=False, width="content")
    st.markdown(prose("opening"), width="stretch")
settings = session.controls()
config = models.checkpoint(settings.preset, "xl").config
text = reading.read(settings)
cards = st.container()
choice = controls.draw(config.n_layers, config.n_heads)
sizes = choice.settings(settings.segment_length, settings.memory_length)
with cards:
    patterns.cards(text, sizes, choice.pair)
patterns.pair(text, choice, sizes, settings.preset)
if other_script(settings.text):
    st.info(prose("other_script"))

st.header(prose("position_head"), anchor=False)
st.markdown(prose("position_note"))
positions = encodings.chosen()
encodings.draw(positions, text)

cost.draw(choice.pair, positions.encoding, sizes, text.total)
quality.draw()
