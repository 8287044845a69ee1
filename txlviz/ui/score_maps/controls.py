"""The page's own controls: which segment, layer and head, and what is done to the scores."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

from txlviz.figures.score_terms import TERMS
from txlviz.ui import session
from txlviz.ui.score_maps.component import Cell
from txlviz.ui.score_maps.labels import labels


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
    place = selected_place(n_inputs, segment_length)
    n_segments = -(-n_inputs // segment_length)
    st.session_state["segment"] = place // segment_length + 1
    for key, most in (("layer", n_layers), ("head", n_heads)):
        if not 1 <= st.session_state.get(key, 1) <= most:
            st.session_state[key] = 1  # chosen for a model that had more
    with st.container(key="score-controls", horizontal=True, vertical_alignment="center", gap="small"):
        segment = st.selectbox(
            words["control_segment"],
            range(1, n_segments + 1),
            format_func=lambda n: words["control_segment_of"].format(n=n, count=n_segments),
            key="segment",
            width=150,
            label_visibility="collapsed",
            on_change=_go_to_segment,
            args=(place, segment_length, n_inputs),
        )
        layer, head = (
            st.selectbox(
                words[f"control_{key}"],
                range(1, most + 1),
                format_func=words[f"control_{key}_of"].format,
                key=key,
                width=108,
                label_visibility="collapsed",
                bind="query-params",
            )
            for key, most in (("layer", n_layers), ("head", n_heads))
        )
        quiz = bool(st.session_state.get("quiz"))
        with st.container(horizontal=True, vertical_alignment="center", gap="xsmall", width="content"):
            st.markdown(words["control_terms"], width="content")
            on = st.pills(
                words["control_terms"],
                TERMS,
                label_visibility="collapsed",
                selection_mode="multi",
                default=TERMS,
                format_func=lambda term: f"({term})",
                key="terms_on",
                disabled=quiz,
                persist_state="session",
            )
        off = tuple(term for term in TERMS if term not in on)
        everywhere = st.toggle(words["control_everywhere"], key="everywhere", disabled=quiz or not off, persist_state="session")
        centred = st.toggle(
            words["control_centre"], key="centred", disabled=quiz, persist_state="session", help=words["help_centre"]
        )
        st.toggle(words["control_quiz"], key="quiz")
        vanilla = st.toggle(words["control_vanilla"], key="vanilla", persist_state="session")
    if quiz:  # constant stripes are those of the whole, raw model
        centred, off = False, ()
    return Choice(
        place=place,
        segment=int(segment or 1) - 1,
        layer=int(layer or 1) - 1,
        head=int(head or 1) - 1,
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
    """A head was clicked in the overview."""
    st.session_state["layer"], st.session_state["head"] = layer + 1, head + 1


def _go_to_segment(place: int, segment_length: int, n_inputs: int) -> None:
    """The same place in another segment."""
    start = (st.session_state["segment"] - 1) * segment_length
    session.select_token(min(start + place % segment_length, n_inputs - 1))
