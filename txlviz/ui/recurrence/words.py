"""The words, numbers and colours of the page's figures."""

from __future__ import annotations

from txlviz.figures.span import Inks
from txlviz.ui import text, theme

PAGE = "recurrence_and_memory"
_WORDS = text.Words(PAGE)
prose, words = _WORDS.prose, _WORDS.labels
_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def inks() -> Inks:
    """The colours of the figures in the viewer's theme."""
    return Inks(theme.model_colours()["xl"], theme.ink())


def size(value: float) -> str:
    """A small difference, as people write it: 1.0 × 10⁻⁵."""
    if value == 0:
        return "0"
    if value >= 0.01:
        return f"{value:.2g}"
    digits, power = f"{value:.1e}".split("e")
    return f"{digits} × 10{str(int(power)).translate(_RAISED)}"
