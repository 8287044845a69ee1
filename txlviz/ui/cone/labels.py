"""The short strings of the figure."""

from __future__ import annotations

from txlviz.ui import text

PAGE = "recurrence_and_memory"
_WORDS = text.Words(PAGE)


def labels() -> dict[str, str]:
    """Name to string, from the section ``cone_labels`` of the page's text."""
    return _WORDS.labels("cone_labels")
