"""The Relative positions page in a real browser: every step, every control, and the numbers against the Python API."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from pathlib import Path
from urllib.parse import urlencode

import numpy as np
import pytest
from playwright.sync_api import Locator, Page, expect

import txlviz
from tests.browser.acting import move
from tests.browser.figure import choose, lines, saved
from txlviz.analysis.layer_inputs import layer_inputs
from txlviz.analysis.rewrite import rewrite
from txlviz.analysis.shift_steps import STEPS
from txlviz.analysis.shift_window import ShiftWindow, shift_window
from txlviz.ui.positions.words import labels

pytestmark = pytest.mark.browser

PRESET = Path(__file__).parents[2] / "checkpoints/wikitext2-4l"
TEXT = "The river rises in the hills and flows past the old mill, which Thomas Calder built. The river is wide."
L, M = 8, 16
LAYER, HEAD = 0, 3  # what the page opens with


@pytest.fixture(scope="module")
def xl() -> txlviz.Checkpoint:
    return txlviz.load(PRESET / "xl")


@pytest.fixture
def positions(page: Page, app_url: str) -> Page:
    """The page with a short text, complete."""
    page.goto(f"{app_url}/relative_positions?{urlencode({'text': TEXT, 'L': L, 'M': M})}")
    expect(page.locator(".shift .stage .cell").first).to_be_visible(timeout=60_000)
    expect(page.locator(".js-plotly-plot")).to_have_count(2)
    return page


def window(
    xl: txlviz.Checkpoint, n_queries: int = 4, n_keys: int = 7, last: int | None = None, cut: tuple[int, int] = (L, M)
) -> ShiftWindow:
    inputs = layer_inputs(xl, TEXT, *cut)
    return shift_window(xl, inputs, LAYER, HEAD, inputs.rows.shape[1] - 1 if last is None else last, n_queries, n_keys)


def cells(board: Locator) -> list[dict[str, str]]:
    """What is drawn: place, classes and text of each cell."""
    return board.locator(".cell").evaluate_all(
        """all => all.map(cell => ({
          row: cell.dataset.row, column: cell.dataset.column, classes: cell.getAttribute("class"),
          value: cell.querySelector(".value")?.textContent ?? "", fill: cell.querySelector(".box").getAttribute("fill") ?? "",
        }))"""
    )


def shown(value: float) -> str:
    return f"{value:.2f}".replace("-0.00", "0.00").replace("-", "−")


def expect_step(page: Page, found: ShiftWindow, step: int) -> None:
    """Every cell stands where the analysis says, with its number and its colour."""
    expect(page.locator(".shift")).to_have_attribute("data-step", STEPS[step])
    drawn = cells(page.locator(".stage"))
    K = found.brute.shape[1]
    values = found.steps.matrices[1].ravel()
    colours: dict[int, set[str]] = {}
    for n, (cell, (row, column)) in enumerate(zip(drawn, found.steps.places[step].tolist(), strict=True)):
        if row < 0:
            assert "gone" in cell["classes"]
            continue
        assert (int(cell["row"]), int(cell["column"])) == (row, column)
        garbage = step >= 4 and bool(found.steps.garbage[row, column])
        assert ("garbage" in cell["classes"]) == garbage
        slot = n % (K + 1)
        if garbage and step == 5:
            assert cell["value"] == "−∞"
        else:
            assert cell["value"] == ("0" if slot == 0 else shown(values[n]))
        if slot:
            colours.setdefault(slot, set()).add(cell["fill"])
    assert all(len(found) == 1 for found in colours.values())  # a colour is a distance, at every step
    assert len({next(iter(found)) for found in colours.values()}) == len(colours)


def test_to_the_end_and_back_by_buttons(positions: Page, xl: txlviz.Checkpoint) -> None:
    found = window(xl)
    expect_step(positions, found, 0)
    expect(positions.get_by_role("button", name="Step back")).to_be_disabled()
    for step in range(1, 6):
        positions.get_by_role("button", name="Next step").click()
        expect_step(positions, found, step)
    expect(positions.get_by_role("button", name="Next step")).to_be_disabled()
    for step in range(4, -1, -1):
        positions.get_by_role("button", name="Step back").click()
        expect_step(positions, found, step)
    positions.get_by_role("button", name="Drop", exact=True).click()
    expect_step(positions, found, 3)
    expect(positions.locator(".note")).to_contain_text("first row goes")


def test_the_keyboard_and_play(positions: Page) -> None:
    stage, root = positions.locator(".stage"), positions.locator(".shift")
    for key, step in (("End", 5), ("ArrowLeft", 4), ("Home", 0), ("ArrowRight", 1), ("ArrowRight", 2), ("ArrowLeft", 1)):
        stage.press(key)
        expect(root).to_have_attribute("data-step", STEPS[step])
    play = positions.get_by_role("button", name="Play")
    play.click()
    expect(root).to_have_attribute("data-step", STEPS[2])
    expect(root).to_have_attribute("data-step", STEPS[5])
    expect(play).to_have_text("Play")
    stage.press(" ")
    expect(root).to_have_attribute("data-step", STEPS[0])
    positions.get_by_role("button", name="Pause").click()
    expect(play).to_have_text("Play")


def test_a_pointed_cell_says_its_distance_and_both_numbers(positions: Page, xl: txlviz.Checkpoint) -> None:
    found, tokens = window(xl), txlviz.trace(xl, TEXT, L, M, record=[]).inputs
    facts = positions.locator(".facts")
    positions.locator(".stage").press("End")
    for i, j in ((0, 0), (1, 3), (3, 6)):
        query, key = found.first_key + 3 + i, found.first_key + j
        for board in (".stage", ".loop"):
            positions.locator(".formula").hover()
            positions.locator(f"{board} .cell[data-row='{i}'][data-column='{j}']:not(.gone)").hover()
            words = [tokens[place].removeprefix("␣") for place in (query, key)]
            expect(facts).to_contain_text(f"Query {words[0]} at {query}, key {words[1]} at {key}: i − j = {query - key}")
            for term, values in (("b", found.brute_b), ("d", found.brute_d)):
                assert float(facts.locator(f".term.{term}").get_attribute("data-value") or "nan") == values[i, j]
            expect(facts.locator(".shifted")).to_contain_text(f"{found.brute[i, j]:.3f}: equal".replace("-", "−"))
            expect(positions.locator(".cell.on")).to_have_count(2)  # the same cell in both boards
    expect(positions.locator(".check")).to_contain_text("bit for bit in all 22 visible cells")


def test_the_garbage_corner_says_what_it_holds(positions: Page) -> None:
    facts = positions.locator(".facts")
    positions.get_by_role("button", name="Reshape back").click()
    positions.locator(".stage .cell.garbage[data-row='0'][data-column='5']").hover()
    expect(facts).to_contain_text("i − j = −2")
    expect(facts).to_contain_text("the next row’s value for distance 6, and is masked")
    positions.locator(".stage .cell.garbage[data-row='0'][data-column='4']").hover()
    expect(facts).to_contain_text("i − j = −1")
    expect(facts).to_contain_text("padding")
    positions.locator(".loop .cell.hidden[data-row='1'][data-column='6']").hover()
    expect(facts).to_contain_text("i − j = −2")
    positions.get_by_role("button", name="By distance").click()
    positions.locator(".stage .cell[data-row='0'][data-column='0']:not(.pad)").hover()
    expect(facts).to_contain_text("distance 6: before the first key here")


def test_the_sliders_at_both_ends(positions: Page, xl: txlviz.Checkpoint) -> None:
    for queries, extra in (("Home", "Home"), ("End", "End")):
        move(positions, "Queries", queries)
        move(positions, "Keys before them", extra)
        n = 3 if queries == "Home" else 6
        expect(positions.locator(".loop .cell")).to_have_count(n * (n if extra == "Home" else n + 6))
        positions.locator(".stage").press("End")
        expect_step(positions, window(xl, n, n if extra == "Home" else n + 6), 5)
    move(positions, "Last query: place in the text", "Home")
    positions.wait_for_url(re.compile("token=11"))
    expect(positions.locator(".loop [data-column='0']").first).to_have_text("↵")
    expect_step(positions, window(xl, 6, 12, 11), 5)


def test_the_strip_at_both_ends(positions: Page, xl: txlviz.Checkpoint) -> None:
    count = positions.locator(".count-row b")
    expect(count).to_have_text(["24", "192"])
    move(positions, "Segment length L", "End")
    expect(count).to_have_text(["272", "69,632"])
    move(positions, "Memory length M", "End")
    expect(count).to_have_text(["768", "196,608"])
    expect_step(positions, window(xl, cut=(256, 512)), 0)
    move(positions, "Segment length L", "Home")
    move(positions, "Memory length M", "Home")
    expect(count).to_have_text(["8", "64"])
    expect_step(positions, window(xl, cut=(8, 0)), 0)


def test_the_facts_can_be_taken_home(positions: Page, xl: txlviz.Checkpoint) -> None:
    found, shift = window(xl), positions.locator(".st-key-shift_stepper")
    choose(shift, "Show as a table")
    expect(shift.locator(".table tbody tr")).to_have_count(22)
    rows = lines(shift)
    visible = ~found.steps.garbage
    np.testing.assert_array_equal([float(row[8]) for row in rows[1:]], found.brute[visible])
    np.testing.assert_array_equal([float(row[7]) for row in rows[1:]], found.brute[visible])
    drawn = [node.text for node in ET.fromstring(saved(shift, "Download SVG")).iter("{http://www.w3.org/2000/svg}text")]
    assert shown(found.brute[3, 6]) in drawn
    assert "The double loop, for each i and j" in drawn
    assert saved(shift, "Download PNG").startswith(b"\x89PNG")


def test_the_charts_have_their_tables(positions: Page) -> None:
    charts = positions.locator(".st-key-txl-chart-position_curves"), positions.locator(".st-key-txl-chart-segment_lengths")
    for chart in charts:
        choose(chart, "Show as a table")
    words = labels()
    expect(charts[0].locator(".table th").nth(2)).to_have_text(words["curves_mean"])
    expect(charts[1].locator(".table tbody tr")).to_have_count(7)
    expect(charts[1].locator(".table tbody tr").first).to_contain_text("yes")
    expect(charts[1].locator(".table tbody tr").last).to_contain_text("no")


def test_the_folds_show_the_models_numbers(positions: Page, xl: txlviz.Checkpoint) -> None:
    vanilla = txlviz.load(PRESET / "vanilla")
    last = len(xl.encode(TEXT))
    for name in ("Why not simply keep", "in three steps", "R: the fixed sinusoids"):
        positions.locator("summary").filter(has_text=name).click()
    collision = positions.locator(".st-key-collision")
    expect(collision.locator("tbody tr").last.locator("td .value")).to_have_text(["differ", "equal", "differ", "equal"])
    table = positions.locator(".st-key-rewrite")
    move(positions, "Key: how far back", "Home", "ArrowRight")
    made = rewrite(xl, vanilla, TEXT, L, last, 1, HEAD)
    expect(table.locator(".caption")).to_contain_text(f"at {last - 1}")
    for row, terms in ((0, made.absolute), (3, made.relative)):
        for term, value in terms.items():
            written = table.locator(f"tbody tr:nth-child({row + 1}) td.{term} .value").get_attribute("data-value")
            assert float(written or "nan") == pytest.approx(value, abs=1e-6)
    expect(table.locator("tbody tr").nth(1).locator(".boxed")).to_have_count(2)
    expect(positions.locator(".js-plotly-plot")).to_have_count(4)


def test_tokens_are_text(page: Page, app_url: str) -> None:
    page.goto(
        f"{app_url}/relative_positions?{urlencode({'text': '<b>bold</b> <img src=x onerror=alert(1)> **x** $y$', 'L': L})}"
    )
    expect(page.locator(".shift .stage .cell").first).to_be_visible(timeout=60_000)
    page.locator("summary").filter(has_text="in three steps").click()
    expect(page.locator(".st-key-rewrite .caption")).to_be_visible()
    assert page.locator(".shift img, .shift b b, .terms img, .terms b").count() == 0


def test_nothing_is_cut_off_on_a_telephone(positions: Page) -> None:
    positions.set_viewport_size({"width": 390, "height": 844})
    move(positions, "Queries", "End")
    move(positions, "Keys before them", "End")
    expect(positions.locator(".loop .cell")).to_have_count(72)
    for name in ("Why not simply keep", "in three steps", "R: the fixed sinusoids"):
        positions.locator("summary").filter(has_text=name).click()
    expect(positions.locator(".js-plotly-plot")).to_have_count(4)
    assert positions.get_by_test_id("stMain").evaluate("main => main.scrollWidth <= main.clientWidth")
    right = positions.locator(".shift .box, .shift .axis text, .terms *").evaluate_all(
        "all => Math.max(...all.map(node => node.getBoundingClientRect().right))"
    )
    assert right <= 390
