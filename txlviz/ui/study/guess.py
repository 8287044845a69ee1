"""The viewer's guess, the button that shows the answer, and the layers."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

from txlviz.ui import models, session
from txlviz.ui.study.words import label

GUESSES = range(-20, 61)
DEFAULT = 0
_KEPT, _REVEALED = "study_kept", "study_revealed"


@dataclass(frozen=True)
class Choice:
    """What the controls say."""

    percent: int
    """By how much lower the viewer thinks the Transformer-XL's perplexity is."""
    revealed: bool
    guessed: bool
    """Whether it was the viewer who put the guess there."""


def draw(preset: str) -> Choice:
    """One row: layers, guess, button."""
    _restore()
    st.session_state["study_layers"] = preset
    with st.container(key="study-guess", horizontal=True, vertical_alignment="bottom", gap="medium"):
        st.segmented_control(
            label("layers"),
            models.PRESETS,
            required=True,
            format_func=models.layers_label,
            key="study_layers",
            on_change=_take_layers,
            width="content",
        )
        percent = st.slider(
            label("guess"), GUESSES[0], GUESSES[-1], key="study_percent", format="%d %%", help=label("help_guess"), width=460
        )
        revealed = bool(st.session_state[_REVEALED])
        st.button(
            label("again" if revealed else "reveal"),
            key="study_reveal",
            type="secondary" if revealed else "primary",
            on_click=_toggle,
        )
    percent = min(max(int(percent), GUESSES[0]), GUESSES[-1])
    st.session_state[_KEPT] = percent
    session.write("guess", percent, DEFAULT)
    session.write("revealed", int(revealed), 0)
    return Choice(percent, revealed, percent != DEFAULT)


def _take_layers() -> None:
    """The strip's own control follows."""
    st.session_state["preset"] = st.session_state["study_layers"]


def _toggle() -> None:
    st.session_state[_REVEALED] = not st.session_state.get(_REVEALED)


def _restore() -> None:
    """The values of the last visit, or of the address, or the defaults."""
    back = session.went_back()
    if back or "study_percent" not in st.session_state:
        kept = None if back else st.session_state.get(_KEPT)
        st.session_state["study_percent"] = session.read("guess", GUESSES, DEFAULT) if kept is None else kept
    if back or _REVEALED not in st.session_state:
        st.session_state[_REVEALED] = st.query_params.get("revealed") == "1"
