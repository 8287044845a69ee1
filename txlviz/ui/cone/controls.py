"""The figure's own controls: the lens, the model, and whether gradients stop at the segment's start."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

from txlviz.ui import models, session
from txlviz.ui.cone.labels import labels

LENSES = ("reach", "change", "gradient")
KINDS: tuple[models.Kind, ...] = ("xl", "vanilla")
_READ, _REPLACED = "cone_address", "cone_replaced_place"


@dataclass(frozen=True)
class Choice:
    """What the controls say."""

    lens: str
    kind: models.Kind
    stop_gradient: bool


def draw() -> Choice:
    """One row of controls."""
    words = labels()
    _read_address()
    with st.container(key="cone-controls", horizontal=True, vertical_alignment="center", gap="medium"):
        lens = st.segmented_control(
            words["lens"],
            LENSES,
            required=True,
            format_func=lambda name: words[f"lens_{name}"],
            key="lens",
            label_visibility="collapsed",
            persist_state="session",
        )
        kind = st.segmented_control(
            words["model"],
            KINDS,
            required=True,
            format_func=lambda name: words[f"model_{name}"],
            key="cone_model",
            label_visibility="collapsed",
            persist_state="session",
        )
        stops = True
        if lens == "gradient" and kind == "xl":
            stops = st.toggle(words["stop_gradient"], key="cone_sg", persist_state="session", help=words["help_stop_gradient"])
    session.write("lens", lens, LENSES[0])
    session.write("cone", kind, KINDS[0])
    session.write("sg", int(st.session_state.get("cone_sg", True)), 1)
    return Choice(lens if lens in LENSES else LENSES[0], "vanilla" if kind == "vanilla" else "xl", bool(stops))


def replaced() -> int | None:
    """The place of the token that a person picked to be replaced, or None."""
    place = st.session_state.get(_REPLACED)
    return place if isinstance(place, int) else None


def on_pick(what: str, place: int) -> None:
    """A node was picked in the figure."""
    if what == "replace":
        st.session_state[_REPLACED] = place
    else:
        st.session_state[_REPLACED] = None  # the furthest one again, which is another one now
        session.select_token(place)


def _read_address() -> None:
    """Once a session, and on the way back: what an address says of this figure, or the defaults."""
    anew = _READ not in st.session_state or session.went_back()
    st.session_state[_READ] = True
    for key, name, options in (("lens", "lens", LENSES), ("cone_model", "cone", KINDS)):
        if anew or key not in st.session_state:
            st.session_state[key] = session.read_name(name, options, options[0])
    if anew or "cone_sg" not in st.session_state:
        st.session_state["cone_sg"] = bool(session.read("sg", (0, 1), 1))
