"""The words of the page."""

from __future__ import annotations

from functools import cache

from txlviz.ui import text


def prose(key: str) -> str:
    """A section of this page's text."""
    return text.prose("relative_positions", key)


@cache
def labels() -> dict[str, str]:
    """The short strings of the figures: name to string."""
    return dict(line.split(": ", 1) for line in prose("labels").splitlines() if line)
