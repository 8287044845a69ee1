"""The page's words and colours."""

from __future__ import annotations

from txlviz.ui import text, theme

PAGE = "context_fragmentation"
_WORDS = text.Words(PAGE)
prose, label, labels = _WORDS.prose, _WORDS.label, _WORDS.labels
colours = theme.figure_colours
