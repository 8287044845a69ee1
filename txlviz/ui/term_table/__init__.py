"""A small table of the four terms: a column a term, with formulas, numbers, or both."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

import streamlit as st

from txlviz.ui import front

_FRONT = Path(__file__).parent / "front"

_mount = st.components.v2.component(
    "txlviz_term_table",
    html='<div class="terms"></div>',
    css=front.read(front.FACTS_CSS, _FRONT / "table.css"),
    js=front.script([front.FACTS_JS, _FRONT / "table.js"]),
)


@dataclass(frozen=True)
class Row:
    """One line of the table. Strings are shown as text, never interpreted, but for formulas."""

    label: str
    values: Mapping[str, float | str] = field(default_factory=dict)
    """By term: a number, or a word in its place."""
    formulas: Mapping[str, str] = field(default_factory=dict)
    """By term: factors with blanks between them; ``_`` begins an index, ``^`` an exponent, ``[…]`` boxes a factor."""
    total: float | str = ""
    """What stands in the last column."""


def term_table(rows: Sequence[Row], heads: Mapping[str, str], *, caption: str, total: str = "", name: str, key: str) -> None:
    """Draws the table.

    Args:
        heads: the names of the columns, by term.
        caption: what all rows have in common. It may hold tokens.
        total: the name of the last column; without it there is none.
        name: of the file with the numbers.
    """
    data = {"rows": [asdict(row) for row in rows], "heads": dict(heads), "caption": caption, "total": total, "name": name}
    _mount(key=key, data=data)
