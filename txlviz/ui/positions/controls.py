"""The own controls of the Relative positions page: which head, and which small window of the text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import streamlit as st

from txlviz.analysis.shift_window import fitting
from txlviz.ui import session
from txlviz.ui.positions.words import prose

QUERIES, EXTRA = (3, 6), (0, 6)
_DEFAULTS = {"layer": 1, "head": 4, "queries": 4, "keys": 3}
_KEPT = "positions_kept"  # Streamlit forgets what widgets of other pages held
_PLACE = "positions_place"


@dataclass(frozen=True)
class Choice:
    """What the controls say. Layer, head and places count from 0."""

    layer: int
    head: int
    last: int
    """Place of the last query in the inputs."""
    n_queries: int
    n_keys: int


def draw(words: Mapping[str, str], n_layers: int, n_heads: int, n_inputs: int) -> Choice:
    """One row of controls for a text of ``n_inputs`` places."""
    bounds = {"layer": (1, n_layers), "head": (1, n_heads), "queries": QUERIES, "keys": EXTRA}
    for name, (least, most) in bounds.items():
        _restore(name, range(least, most + 1))
    with st.container(key="txl-position-controls", horizontal=True, vertical_alignment="bottom", gap="medium"):
        with st.container(horizontal=True, gap="small", width="content"):
            for name in ("layer", "head"):
                st.selectbox(
                    words[name],
                    range(1, bounds[name][1] + 1),
                    format_func=words[f"{name}_of"].format,
                    key=_key(name),
                    width=116,
                    label_visibility="collapsed",
                )
        with st.container(horizontal=True, gap="medium"):
            st.slider(words["queries"], *QUERIES, key=_key("queries"), width=150)
            st.slider(words["extra"], *EXTRA, key=_key("keys"), width=170, help=prose("help_extra"))
            chosen = {name: _within(st.session_state[_key(name)], *limits) for name, limits in bounds.items()}
            L, K = fitting(chosen["queries"], chosen["queries"] + chosen["keys"], n_inputs)
            last = _place(words, K - 1, n_inputs - 1)
    st.session_state[_KEPT] = chosen
    for name, default in _DEFAULTS.items():
        session.write(name, chosen[name], default)
    return Choice(chosen["layer"] - 1, chosen["head"] - 1, last, L, K)


def selected(n_inputs: int) -> int:
    """The selected place; where none is, the last one."""
    place = session.selected_token()
    return n_inputs - 1 if place is None else _within(place, 0, n_inputs - 1)


def _place(words: Mapping[str, str], first: int, last: int) -> int:
    """The slider over the text; where there is only one window, there is none."""
    place = _within(selected(last + 1), first, last)
    if first == last:
        return last
    st.session_state[_PLACE] = place
    help_text = prose("help_place")
    return int(st.slider(words["place"], first, last, key=_PLACE, on_change=_select, help=help_text, width=320))


def _select() -> None:
    session.select_token(int(st.session_state[_PLACE]))


def _restore(name: str, options: Sequence[int]) -> None:
    """The value from before, or from the address; one that this model doesn't have becomes the nearest."""
    key, kept = _key(name), st.session_state.get(_KEPT)
    if key not in st.session_state:
        st.session_state[key] = kept[name] if kept else session.read(name, options, _DEFAULTS[name])
    st.session_state[key] = _within(st.session_state[key], options[0], options[-1])


def _key(name: str) -> str:
    return f"positions_{name}"


def _within(value: object, least: int, most: int) -> int:
    """What a browser sends may be anything."""
    return min(max(value, least), most) if type(value) is int else least
