"""The words on the pages."""

from __future__ import annotations

from txlviz.content import sections


def prose(page: str, key: str) -> str:
    """One section of a page's text, as Markdown: ``prose("score_terms", "opening")``. A missing key raises KeyError."""
    return sections(page)[key]
