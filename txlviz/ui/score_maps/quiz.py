"""Name the stripes: the four terms' maps without their names, in an order of this session's own."""

from __future__ import annotations

import random
from dataclasses import dataclass

import streamlit as st

from txlviz.figures.score_terms import TERMS
from txlviz.ui.score_maps.labels import labels

_ORDER, _REVEALED = "stripes_order", "stripes_revealed"


@dataclass(frozen=True)
class Quiz:
    """Which term each of the four maps is, and whether that has been told."""

    order: tuple[str, ...]
    revealed: bool


def draw() -> Quiz:
    """The four answers and the button that reveals."""
    words = labels()
    if _ORDER not in st.session_state:
        _shuffle()
    order: tuple[str, ...] = st.session_state[_ORDER]
    with st.container(key="stripes", horizontal=True, vertical_alignment="bottom", gap="small"):
        revealed = bool(st.session_state.get(_REVEALED))
        answers = [
            st.selectbox(
                _mark(n, order[n - 1], revealed),
                TERMS,
                index=None,
                placeholder=words["quiz_placeholder"],
                format_func=lambda term: f"({term}) {words[f'xl_{term}']}",
                key=f"stripes_{n}",
                width=215,
            )
            for n in range(1, 5)
        ]
        st.button(words["quiz_again" if revealed else "quiz_reveal"], key="reveal", on_click=_again if revealed else _reveal)
    if revealed:
        right = sum(answer == term for answer, term in zip(answers, order, strict=True))
        st.markdown(words["quiz_right"].format(right=right))
    return Quiz(order, revealed)


def _mark(n: int, term: str, revealed: bool) -> str:
    """The label of an answer: once told, whether it is right, and what would be."""
    words = labels()
    if not revealed:
        return words["map_unnamed"].format(n=n)
    right = st.session_state.get(f"stripes_{n}") == term
    return words["quiz_map_right" if right else "quiz_map_wrong"].format(n=n, term=term)


def _reveal() -> None:
    st.session_state[_REVEALED] = True


def _again() -> None:
    st.session_state[_REVEALED] = False
    for n in range(1, 5):
        st.session_state[f"stripes_{n}"] = None
    _shuffle()


def _shuffle() -> None:
    """Another order than the last one, and never the one of the alphabet."""
    before = (TERMS, st.session_state.get(_ORDER))
    order: tuple[str, ...] = TERMS
    while order in before:
        order = tuple(random.sample(TERMS, len(TERMS)))
    st.session_state[_ORDER] = order
