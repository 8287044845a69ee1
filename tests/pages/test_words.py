"""Prose is short: what a page says outside folded parts, as it opens."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest
from streamlit.testing.v1.element_tree import Block, Element

ROOT = Path(__file__).parents[2]
PAGES = sorted(path.relative_to(ROOT).as_posix() for path in (ROOT / "pages").glob("*.py"))
PROSE = {"title", "header", "subheader", "caption", "markdown", "success", "info", "warning", "alert"}
FOLDED = {"expandable", "expander", "popover"}
LIMIT = 250


def shown(block: Block) -> Iterator[Element]:
    """All elements that aren't in a folded part."""
    for child in block.children.values():
        if isinstance(child, Block):
            if child.type not in FOLDED:
                yield from shown(child)
        elif isinstance(child, Element):
            yield child


def words(element: Any) -> int:
    """Formulas aren't prose, and neither is the style sheet."""
    said = re.sub(r"\$\$.*?\$\$|\$.*?\$|<style>.*?</style>", " ", str(element.value), flags=re.S)
    return sum(any(letter.isalpha() for letter in word) for word in said.split())


@pytest.mark.parametrize("page", PAGES)
def test_a_page_opens_with_at_most_250_words(page: str) -> None:
    at = AppTest.from_file(str(ROOT / "app.py"), default_timeout=90)
    at.switch_page(page).run()
    assert not at.exception
    counts = [(words(element), str(element.value)) for element in shown(at.main) if element.type in PROSE]
    assert 20 < sum(count for count, _ in counts) <= LIMIT, [(count, said[:80]) for count, said in counts]
