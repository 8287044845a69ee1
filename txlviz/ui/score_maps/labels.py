"""The short strings of the figure."""

from __future__ import annotations

from functools import cache

from txlviz.ui import text


@cache
def labels() -> dict[str, str]:
    """Name to string, from the section ``labels`` of the page's text: one a line, ``name: text``."""
    lines = text.prose("score_terms", "labels").splitlines()
    return dict(line.split(": ", 1) for line in lines if line)
