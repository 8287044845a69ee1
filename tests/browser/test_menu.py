"""The menu: every page within reach, and nothing in it over something else."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

PAGES = 11

# Links from the left to the right, line by line: at most so many lines, and none begins before the one beside it has ended.
# Waited for, since the style sheet and the fonts arrive after the links.
IN_LINES = """(most) => {
  const lines = {};
  for (const link of document.querySelectorAll(".st-key-txl-menu a")) {
    const box = link.getBoundingClientRect();
    (lines[Math.round(box.top)] ??= []).push(box);
  }
  const order = (line) => line.sort((a, b) => a.left - b.left);
  const apart = (line) => order(line).every((box, n) => n === 0 || box.left >= line[n - 1].right - 0.5);
  return Object.keys(lines).length <= most && Object.values(lines).every(apart);
}"""
FIRST = """() => [...document.querySelectorAll(".st-key-txl-menu a")]
  .sort((a, b) => a.getBoundingClientRect().left - b.getBoundingClientRect().left)[0].textContent"""


@pytest.mark.parametrize(("width", "lines"), [(1440, 1), (1024, 2), (390, 1)])
def test_links_stand_beside_each_other(page: Page, app_url: str, width: int, lines: int) -> None:
    page.set_viewport_size({"width": width, "height": 844})
    page.goto(f"{app_url}/echo_test")
    menu = page.locator(".st-key-txl-menu")
    expect(menu.get_by_role("link")).to_have_count(PAGES)
    page.wait_for_function(IN_LINES, arg=lines, timeout=15_000)
    if width == 390:
        assert page.evaluate(FIRST) == "Context fragmentation"  # the group of the page that is shown comes first
        menu.get_by_role("link", name="The study").click()
        expect(page).to_have_url(f"{app_url}/the_study")
