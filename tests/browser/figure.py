"""What a person takes from a figure: its menu, and the files behind it."""

import csv
import io
from pathlib import Path

from playwright.sync_api import Locator, Page


def choose(figure: Locator, item: str) -> None:
    """Picks an item of the figure's menu."""
    figure.get_by_role("button", name="Table and downloads").click()
    figure.get_by_role("menuitem", name=item).click()


def saved(figure: Locator, item: str) -> bytes:
    """The file that an item of the menu downloads."""
    with figure.page.expect_download() as download:
        choose(figure, item)
    return Path(download.value.path()).read_bytes()


def rows(figure: Locator) -> list[dict[str, str]]:
    """The figure's facts, as its CSV holds them."""
    return list(csv.DictReader(_csv(figure)))


def lines(figure: Locator) -> list[list[str]]:
    """The same by columns, the heads first."""
    return list(csv.reader(_csv(figure)))


def fits_a_telephone(page: Page) -> None:
    """Nothing is wider than the page, no label of a chart, no table."""
    assert page.get_by_test_id("stMain").evaluate("main => main.scrollWidth <= main.clientWidth")
    for plot in page.locator(".js-plotly-plot").all():
        right = plot.evaluate(
            "plot => Math.max(...[...plot.querySelectorAll('svg text')].map(text => text.getBoundingClientRect().right))"
        )
        assert right <= 390
    for table in page.get_by_test_id("stTable").all():
        assert table.evaluate("table => Math.round(table.querySelector('table').getBoundingClientRect().right)") <= 390


def _csv(figure: Locator) -> io.StringIO:
    return io.StringIO(saved(figure, "Download CSV").decode("utf-8-sig"))
