"""The words on the pages."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from txlviz.content import sections


def prose(page: str, key: str) -> str:
    """One section of a page's text, as Markdown: ``prose("score_terms", "opening")``. A missing key raises KeyError."""
    return sections(page)[key]


@dataclass(frozen=True)
class Words:
    """The words of one page."""

    page: str

    def prose(self, key: str, **values: object) -> str:
        """A section of the page's text, its numbers filled in. Without values it stays as it is: formulas have braces."""
        found = prose(self.page, key)
        return found.format(**values) if values else found

    def labels(self, section: str = "labels") -> dict[str, str]:
        """The short strings of the page's figures, name to string."""
        return _labels(self.page, section)

    def label(self, name: str, **values: object) -> str:
        """One of the labels, filled in."""
        return self.labels()[name].format(**values)


@lru_cache(maxsize=64)
def _labels(page: str, section: str) -> dict[str, str]:
    """A section that holds one string a line, ``name: text``."""
    return dict(line.split(": ", 1) for line in prose(page, section).splitlines() if line)
