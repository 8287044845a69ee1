"""The relative shift, stepped through on a small real matrix, with the double loop beside it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import streamlit as st

from txlviz.analysis.shift_window import ShiftWindow
from txlviz.ui import front

_FRONT = Path(__file__).parent / "front"

_mount = st.components.v2.component(
    "txlviz_shift_stepper",
    html=front.read(_FRONT / "stepper.html"),
    css=front.read(front.FACTS_CSS, _FRONT / "stepper.css"),
    js=front.script([front.FACTS_JS, *sorted(_FRONT.glob("*.js"))]),  # the order of their names
)


def shift_stepper(
    window: ShiftWindow,
    tokens: Sequence[str],
    words: Mapping[str, str],
    *,
    segment_length: int,
    memory_length: int,
    name: str,
    key: str,
) -> None:
    """Draws the stepper. What is pointed at, and the step, stay in the browser.

    Args:
        tokens: all inputs, as people read them. Shown as text, never interpreted.
        words: the page's labels.
        segment_length: L of the strip, for the count of projections; ``memory_length`` is its M.
        name: of the files that can be downloaded.
    """
    _mount(key=key, data=data(window, tokens, words, segment_length, memory_length, name))


def data(
    window: ShiftWindow, tokens: Sequence[str], words: Mapping[str, str], segment_length: int, memory_length: int, name: str
) -> dict[str, Any]:
    """What the browser is given: numbers and strings only; a hidden key is None."""
    L, K = window.brute.shape
    keys_of_strip = memory_length + segment_length
    return {
        "words": dict(words),
        "title": words["figure_title"],
        "name": name,
        "L": L,
        "K": K,
        "firstKey": window.first_key,
        "tokens": list(tokens[window.first_key : window.first_key + K]),
        "values": window.steps.matrices[1].ravel().tolist(),
        "places": window.steps.places.tolist(),
        "shifted": _rows(window.steps.matrices[-1]),
        "loop": _rows(window.brute),
        "loopB": _rows(window.brute_b),
        "loopD": _rows(window.brute_d),
        "agree": window.agree,
        "strip": {"L": segment_length, "M": memory_length},
        "projections": [keys_of_strip, segment_length * keys_of_strip],
    }


def _rows(matrix: npt.NDArray[np.float64]) -> list[list[float | None]]:
    return [[value if np.isfinite(value) else None for value in row] for row in matrix.tolist()]
