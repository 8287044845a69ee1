"""The page's own controls: which two systems, what is shown of them, and the sizes that the strip doesn't have."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import streamlit as st

from txlviz.models.attentions import SYSTEMS
from txlviz.models.attentions import Settings as Sizes
from txlviz.ui import session
from txlviz.ui.landscape.words import ATTENTIONS, label, labels, name

SIDES = ("first", "second")
DEFAULT_PAIR = ("xl", "longformer-causal")
SHOWN = ("mask", "weights")
SIZES: Mapping[str, tuple[int, int, int]] = {
    "window": (1, 128, 32),
    "n_global": (0, 8, 1),
    "block": (2, 32, 16),
    "n_random_blocks": (0, 4, 1),
    "rank": (1, 64, 32),
}
"""Least, most, and default of each size that has a slider."""
_READ, _LAST = "landscape_address", "landscape_last_side"
_IN_ADDRESS = {"window": "w", "n_global": "g", "block": "block", "n_random_blocks": "random", "rank": "k"}


@dataclass(frozen=True)
class Choice:
    """What the controls say. Layer and head count from 0."""

    pair: tuple[str, str]
    weights: bool
    """Whether the weights are shown, or the mask."""
    layer: int
    head: int
    sizes: Mapping[str, int]

    def settings(self, segment_length: int, memory_length: int) -> Sizes:
        """The sizes of all systems, with the strip's L and M."""
        return Sizes(segment_length=segment_length, memory_length=memory_length, **self.sizes)


def draw(n_layers: int, n_heads: int) -> Choice:
    """One row of controls."""
    _restore(n_layers, n_heads)
    with st.container(key="landscape-controls", horizontal=True, vertical_alignment="center", gap="small"):
        for side in SIDES:
            st.selectbox(
                label(side),
                ATTENTIONS,
                format_func=partial(_numbered, SIDES.index(side) + 1),
                key=_key(side),
                width=222,
                on_change=_changed,
                args=(side,),
                label_visibility="collapsed",
                persist_state="session",
            )
        st.segmented_control(
            label("show"),
            SHOWN,
            required=True,
            format_func=label,
            key=_key("show"),
            width="content",
            label_visibility="collapsed",
            persist_state="session",
        )
        if st.session_state[_key("show")] == "weights":
            for which, most in (("layer", n_layers), ("head", n_heads)):
                st.selectbox(
                    label(which),
                    range(1, most + 1),
                    format_func=labels()[f"{which}_of"].format,
                    key=_key(which),
                    width=116,
                    label_visibility="collapsed",
                    persist_state="session",
                )
    chosen = {which: st.session_state[_key(which)] for which in _bounds(n_layers, n_heads)}
    pair = (st.session_state[_key("first")], st.session_state[_key("second")])
    show = st.session_state[_key("show")]
    for side, usual in zip(SIDES, DEFAULT_PAIR, strict=True):
        session.write(side, st.session_state[_key(side)], usual)
    session.write("show", show, SHOWN[0])
    for which, (_, _, default) in _bounds(n_layers, n_heads).items():
        session.write(_IN_ADDRESS.get(which, which), chosen[which], default)
    sizes = {size: chosen[size] for size in SIZES}
    return Choice(pair, show == "weights", chosen["layer"] - 1, chosen["head"] - 1, sizes)


def sliders(system: str) -> None:
    """The sizes that a system has of its own, side by side. What they say is read by ``draw``, from the session."""
    if not _own(system):
        return
    with st.container(horizontal=True, gap="small"):
        for size in _own(system):
            least, most, _ = SIZES[size]
            st.slider(label(size), least, most, key=_key(size), width=98, persist_state="session")


def shared(pair: tuple[str, str]) -> bool:
    """Whether both have the same sizes, so that one set of sliders is for both."""
    return _own(pair[0]) == _own(pair[1])


def _own(system: str) -> list[str]:
    """The sizes of a system that have sliders here; L and M stand in the strip."""
    return [size for size in SIZES if size in SYSTEMS[system].takes]


def pick(system: str) -> None:
    """A card was clicked: the side that was changed longer ago takes the system. One that is shown already stays."""
    if system not in ATTENTIONS or system in (st.session_state.get(_key(side)) for side in SIDES):
        return
    side = SIDES[st.session_state.get(_LAST, SIDES[1]) == SIDES[0]]
    st.session_state[_key(side)] = system
    _changed(side)


def selected(n_inputs: int) -> int:
    """The selected place; where none is, the last one."""
    place = session.selected_token()
    return n_inputs - 1 if place is None or not 0 <= place < n_inputs else place


def _numbered(number: int, system: str) -> str:
    """The number that the system's card bears, and its name."""
    return f"{number}: {name(system)}"


def _changed(side: str) -> None:
    st.session_state[_LAST] = side


def _bounds(n_layers: int, n_heads: int) -> dict[str, tuple[int, int, int]]:
    return {"layer": (1, n_layers, 1), "head": (1, n_heads, 1), **SIZES}


def _restore(n_layers: int, n_heads: int) -> None:
    """Once a session, and on the way back: the values of the address, or the defaults; all of them within bounds."""
    anew = _READ not in st.session_state or session.went_back()
    st.session_state[_READ] = True
    options: dict[str, Sequence[str]] = {"first": ATTENTIONS, "second": ATTENTIONS, "show": SHOWN}
    defaults = {"first": DEFAULT_PAIR[0], "second": DEFAULT_PAIR[1], "show": SHOWN[0]}
    for named, known in options.items():
        if anew or _key(named) not in st.session_state:
            st.session_state[_key(named)] = session.read_name(named, known, defaults[named])
        if st.session_state[_key(named)] not in known:
            st.session_state[_key(named)] = defaults[named]
    for which, (least, most, default) in _bounds(n_layers, n_heads).items():
        key = _key(which)
        if anew or key not in st.session_state:
            st.session_state[key] = session.read(_IN_ADDRESS.get(which, which), range(least, most + 1), default)
        value = st.session_state[key]
        if type(value) is not int or not least <= value <= most:
            st.session_state[key] = min(max(value, least), most) if type(value) is int else default


def _key(which: str) -> str:
    return f"landscape_{which}"
