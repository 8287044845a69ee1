"""The page's words and colours."""

from __future__ import annotations

from txlviz.ui import text, theme

PAGE = "speed_and_generation"
NAMES = {"xl": "Transformer-XL", "vanilla": "Vanilla"}
_WORDS = text.Words(PAGE)
prose, labels = _WORDS.prose, _WORDS.labels
colours = theme.figure_colours
