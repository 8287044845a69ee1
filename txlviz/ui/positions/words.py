"""The words of the page."""

from __future__ import annotations

from txlviz.ui import text

PAGE = "relative_positions"
_WORDS = text.Words(PAGE)
prose, labels = _WORDS.prose, _WORDS.labels
