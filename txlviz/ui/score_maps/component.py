"""The component: what the browser runs, and how it is mounted."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import streamlit as st

from txlviz.ui import front

_FRONT = Path(__file__).parent / "front"


@dataclass(frozen=True)
class Cell:
    """A cell that was locked in the browser, by its places in the text."""

    query: int
    key: int


_mount = st.components.v2.component(
    "txlviz_score_maps",
    html=front.read(_FRONT / "maps.html"),
    css=front.read(_FRONT / "maps.css"),
    js=front.script(sorted(_FRONT.glob("*.js"))),  # the order of their names
)


def mount(block: bytes, *, key: str, on_cell: Callable[[Cell], None], on_pick: Callable[[int, int], None]) -> None:
    """Shows the maps of ``block`` (made by ``view.block``).

    Args:
        on_cell: told of a locked cell.
        on_pick: told of a layer and a head (from 0) that were clicked in the overview.
    """

    def cell_changed() -> None:
        cell = front.state(key).get("cell")
        if isinstance(cell, dict) and _is_place(cell.get("query")) and _is_place(cell.get("key")):
            on_cell(Cell(cell["query"], cell["key"]))

    def picked() -> None:
        pick = front.state(key).get("pick")
        if isinstance(pick, list) and len(pick) == 2 and all(_is_place(n) for n in pick):
            on_pick(*pick)

    _mount(key=key, data=block, on_cell_change=cell_changed, on_pick_change=picked)


def heard(key: str) -> int:
    """The number of the last message about a cell that came from the component of this key; 0 before the first."""
    cell = front.state(key).get("cell")
    count = cell.get("count") if isinstance(cell, dict) else 0
    return count if isinstance(count, int) and _is_place(count) else 0


def _is_place(value: object) -> bool:
    return type(value) is int and value >= 0  # True is an int, too
