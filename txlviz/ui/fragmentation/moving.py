"""What moves with the cut. It runs by itself: whoever drags the cut isn't kept waiting for the rest of the page."""

from __future__ import annotations

import streamlit as st

from txlviz.ui import session
from txlviz.ui.fragmentation import cuts, figures
from txlviz.ui.fragmentation.words import label, prose
from txlviz.ui.session import Settings
from txlviz.ui.typed import other_script

_SECONDS = 0.25  # of work at a time: a cut that is dragged meanwhile waits for no more
_PAUSE = 0.1  # seconds between


def draw(settings: Settings) -> None:
    """The cut, the text under it, both models' difference, and the selected token at every position."""
    _draw(settings, session.selected_token())


@st.fragment
def _draw(settings: Settings, selected: int | None) -> None:
    left, right = st.columns([3, 2], gap="large", vertical_alignment="center")
    with left:
        cut = cuts.control(settings.segment_length)
    right.markdown(prose("formula"), help=prose("formula_note"))
    reading = cuts.read(settings, cut)
    figures.strip(reading)
    if session.selected_token() != selected:
        st.rerun()  # the links to other pages name the token
    st.markdown(figures.this_cut(reading))
    if other_script(settings.text):
        st.info(prose("other_script"))
    left, right = st.columns([3, 2], gap="large")
    with left:
        figures.difference(reading)
    with right:
        cuts.fill(settings, reading, _SECONDS)
        if reading.complete:
            figures.one_token(reading)
        else:
            _fill(settings, reading)
    if reading.complete:
        st.markdown(figures.all_cuts(reading))


@st.fragment(run_every=_PAUSE)
def _fill(settings: Settings, reading: cuts.Reading) -> None:
    """Reads the text with the other cuts, a bit on each run, until all are known."""
    done = int(reading.known.sum())
    st.progress(done / reading.L, label("filling", L=reading.L, done=done))
    cuts.fill(settings, reading, _SECONDS)
    if reading.complete:
        st.rerun()
