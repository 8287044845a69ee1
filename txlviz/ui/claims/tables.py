"""The numbers of a claim as tables."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd
import streamlit as st

from txlviz.claims import related, said
from txlviz.ui.claims.words import label, prose

_LONG = 8  # values; lists beyond stand in the figure and its table


def draw(number: int, numbers: Mapping[str, Any]) -> None:
    """All numbers as a table; a column a model, or a system."""
    if number == 17:
        st.table(properties(numbers), border="horizontal")
    table = {
        meaning: {_column(name): _cell(value) for name, value in values.items()}
        for meaning, values in said.rows(number, numbers)
    }
    st.table(pd.DataFrame.from_dict(table, orient="index").fillna(""), border="horizontal")


def properties(numbers: Mapping[str, Any]) -> pd.DataFrame:
    """Which properties of the Transformer-XL's score the others share."""
    has = related.shared(numbers)
    return pd.DataFrame(
        {
            label(f"system_{name}"): {label(f"has_{what}"): label("yes" if one[what] else "no") for what in related.PROPERTIES}
            for name, one in has.items()
        }
    )


def _column(name: str) -> str:
    return label(f"system_{name}" if name in ("xl", "rotary", "alibi") else name)


def _cell(value: Any) -> str:
    if isinstance(value, list):
        return ", ".join(map(_cell, value)) if len(value) <= _LONG else prose("in_figure", count=len(value))
    if value is None:
        return "–"
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return label("yes" if value else "no")
    return (f"{value:,}" if isinstance(value, int) else f"{value:.5g}").replace("-", "−")
