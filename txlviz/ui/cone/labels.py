"""The short strings of the figure."""

from __future__ import annotations

from functools import cache

from txlviz.ui import text

PAGE = "recurrence_and_memory"


@cache
def labels() -> dict[str, str]:
    """Name to string, from the section ``cone_labels`` of the page's text: one a line, ``name: text``."""
    lines = text.prose(PAGE, "cone_labels").splitlines()
    return dict(line.split(": ", 1) for line in lines if line)
