"""The page's own controls: which segment, layer and head, and what is done to the scores."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

from txlviz.figures.score_terms import TERMS
from txlviz.ui import session
from txlviz.ui.score_maps.component import Cell
from txlviz.ui.score_maps.labels import labels

_READ = "score_terms_address"
_SWITCHES = ("everywhere", "centred", "vanilla")
_ALL, _NONE = "".join(TERMS), "0"  # the terms that are on, as the address has them


@dataclass(frozen=True)
class Choice:
    """What the controls say. Everything counts from 0."""

    place: int
    """Place of the selected query in the inputs."""
    segment: int
    layer: int
    head: int
    centred: bool
    off: tuple[str, ...]
    everywhere: bool
    """Whether the terms are off in all layers, or in this layer only."""
    quiz: bool
    vanilla: bool


def draw(n_layers: int, n_heads: int, n_inputs: int, segment_length: int) -> Choice:
    """One row of controls for a text of ``n_inputs`` places."""
    words = labels()
    _read_address(n_layers, n_heads)
    place = selected_place(n_inputs, segment_length)
    n_segments = -(-n_inputs // segment_length)
    st.session_state["segment"] = place // segment_length + 1  # whatever the browser said
    for key, most in (("layer", n_layers), ("head", n_heads)):
        if key in st.session_state and _chosen(key, most) is None:
            st.session_state[key] = 1  # chosen for a model that had more
    with st.container(key="score-controls", horizontal=True, vertical_alignment="center", gap="small"):
        st.selectbox(
            words["control_segment"],
            range(1, n_segments + 1),
            format_func=words["control_segment_of"].format,
            key="segment",
            width=136,
            label_visibility="collapsed",
            on_change=_go_to_segment,
            args=(place, segment_length, n_inputs),
        )
        for key, most in (("layer", n_layers), ("head", n_heads)):
            st.selectbox(
                words[f"control_{key}"],
                range(1, most + 1),
                format_func=words[f"control_{key}_of"].format,
                key=key,
                width=108,
                label_visibility="collapsed",
                persist_state="session",
            )
        quiz = bool(st.session_state.get("quiz"))
        with st.container(horizontal=True, vertical_alignment="center", gap="xsmall", width="content"):
            st.markdown(words["control_terms"], width="content")
            on = st.pills(
                words["control_terms"],
                TERMS,
                label_visibility="collapsed",
                selection_mode="multi",
                format_func=lambda term: f"({term})",
                key="terms_on",
                disabled=quiz,
                persist_state="session",
            )
        off = tuple(term for term in TERMS if term not in on)
        everywhere = st.toggle(
            words["control_everywhere"],
            key="everywhere",
            disabled=quiz or not off,
            persist_state="session",
        )
        centred = st.toggle(
            words["control_centre"],
            key="centred",
            disabled=quiz,
            persist_state="session",
            help=words["help_centre"],
        )
        st.toggle(words["control_quiz"], key="quiz")
        vanilla = st.toggle(words["control_vanilla"], key="vanilla", persist_state="session")
    _write_address(off)
    if quiz:  # constant stripes are those of the whole, raw model
        centred, off = False, ()
    return Choice(
        place=place,
        segment=place // segment_length,
        layer=(_chosen("layer", n_layers) or 1) - 1,
        head=(_chosen("head", n_heads) or 1) - 1,
        centred=centred,
        off=off,
        everywhere=everywhere,
        quiz=quiz,
        vanilla=vanilla,
    )


def selected_place(n_inputs: int, segment_length: int) -> int:
    """The selected token, or a place shortly after the first boundary: there memory is read, and the boundary is near."""
    place = session.selected_token()
    if place is None or not 0 <= place < n_inputs:
        place = min(segment_length + segment_length // 4, n_inputs - 1)
    return place


def select_cell(cell: Cell) -> None:
    """A cell was locked: its query is the token that all pages speak of."""
    session.select_token(cell.query)


def pick_head(layer: int, head: int) -> None:
    """A head was clicked in the overview. One that the model doesn't have is put right when the controls are drawn."""
    st.session_state["layer"], st.session_state["head"] = layer + 1, head + 1


def pick_only_head(_layer: int, head: int) -> None:
    """A head of the vanilla model was clicked, of which there is one layer: the other model's layer stays."""
    st.session_state["head"] = head + 1


def _read_address(n_layers: int, n_heads: int) -> None:
    """Once a session: what an address says of this page, or the defaults."""
    if _READ in st.session_state:
        return
    st.session_state[_READ] = True
    for key, most in (("layer", n_layers), ("head", n_heads)):
        st.session_state.setdefault(key, session.read(key, range(1, most + 1), 1))
    terms = st.query_params.get("terms", _ALL)
    st.session_state.setdefault("terms_on", [term for term in TERMS if term in terms])
    for key in _SWITCHES:
        st.session_state.setdefault(key, bool(session.read(key, (0, 1), 0)))


def _write_address(off: tuple[str, ...]) -> None:
    """Keeps the address a link to what is on the screen."""
    for key in ("layer", "head"):
        session.write(key, st.session_state[key], 1)
    session.write("terms", "".join(term for term in TERMS if term not in off) or _NONE, _ALL)
    for key in _SWITCHES:
        session.write(key, int(st.session_state[key]), 0)


def _chosen(key: str, most: int) -> int | None:
    """What a selectbox holds, from 1. A label of options that have changed meanwhile comes back from the browser as it is."""
    value = st.session_state.get(key)
    return value if type(value) is int and 1 <= value <= most else None


def _go_to_segment(place: int, segment_length: int, n_inputs: int) -> None:
    """The same place in another segment."""
    segment = _chosen("segment", -(-n_inputs // segment_length))
    if segment is None:
        return
    start = (segment - 1) * segment_length
    session.select_token(min(start + place % segment_length, n_inputs - 1))
