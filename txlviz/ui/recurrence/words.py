"""The words, numbers and colours of the page's figures."""

from __future__ import annotations

from functools import cache

import streamlit as st

from txlviz.figures.span import Inks
from txlviz.ui import text, theme

PAGE = "recurrence_and_memory"
_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


@cache
def words(section: str) -> dict[str, str]:
    """Name to string, from a section of the page's text: one a line, ``name: text``."""
    return dict(line.split(": ", 1) for line in text.prose(PAGE, section).splitlines() if line)


def prose(key: str, **values: object) -> str:
    """A section of the page's text with its numbers filled in."""
    return text.prose(PAGE, key).format(**values)


def inks() -> Inks:
    """The colours of the figures in the viewer's theme."""
    return Inks(theme.model_colours()["xl"], str(st.get_option(f"theme.{theme.scheme()}.textColor")))


def size(value: float) -> str:
    """A small difference, as people write it: 1.0 × 10⁻⁵."""
    if value == 0:
        return "0"
    if value >= 0.01:
        return f"{value:.2g}"
    digits, power = f"{value:.1e}".split("e")
    return f"{digits} × 10{str(int(power)).translate(_RAISED)}"
