"""What does a token cost, with a memory and without?"""

import streamlit as st

from txlviz.ui import session
from txlviz.ui.generation import controls, cost, library, live
from txlviz.ui.generation.words import prose
from txlviz.ui.typed import other_script

settings = session.controls()
left, right = st.columns([3, 2], gap="large", vertical_alignment="center")
with left:
    st.title(prose("title"), anchor=False)
    st.markdown(prose("opening"))
right.markdown(prose("formula"), help=prose("formula_note"))

choice = controls.draw(running=live.running() is not None)
if controls.wanted():
    live.start(settings, choice)
    st.rerun()  # so that the button says Stop
live.draw(settings, choice)
if other_script(settings.text):
    st.info(prose("other_script"))
ended = st.container()

cost.draw(settings.preset)
library.draw(settings.preset)
with ended:
    live.ended()
