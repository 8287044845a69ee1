"""The Echo test in a real browser: every control, and the numbers on the screen against the Python API."""

from __future__ import annotations

import csv
import io
import re
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.acting import box_of, settled
from txlviz import recorded
from txlviz.tasks import in_sight, record, shipped

L = 32


@pytest.fixture(scope="module")
def runs() -> record.Record:
    weights = {kind: shipped.weights_hash(kind) for kind in ("xl", "vanilla")}
    return record.from_values(recorded.read(shipped.FOLDER / record.FILE, weights))


@pytest.fixture
def echo(page: Page, app_url: str) -> Page:
    page.goto(f"{app_url}/echo_test")
    expect(figure(page, "echo-strip")).to_be_visible()
    return page


def figure(page: Page, key: str) -> Locator:
    return page.locator(f".st-key-txl-chart-{key} .vega-embed svg").first


def move(page: Page, key: str, to: str, times: int = 1) -> None:
    """Presses a key on a slider; the value that it shows says when it has moved."""
    thumb = page.locator(f".st-key-echo_{key}").get_by_role("slider")
    for _ in range(times):
        settled(page)
        before = thumb.get_attribute("aria-valuenow")
        thumb.press(to)
        if to in ("Home", "End"):
            continue
        expect(thumb).not_to_have_attribute("aria-valuenow", before or "")


_READ = """
({ model, expected }) => {
  const drawn = document.querySelectorAll(".st-key-txl-chart-echo-accuracy .vega-embed svg [aria-roledescription=point]");
  const found = {};
  for (const { ariaLabel } of drawn) {
    if (!ariaLabel.includes(`Model: ${model};`)) continue;
    found[/Position: (\\d+)/.exec(ariaLabel)[1]] = Number(/Right: ([\\d.]+)/.exec(ariaLabel)[1]);
  }
  const places = Object.keys(found).length;
  return places === expected.length && expected.every((share, position) => Math.abs(share - found[position]) < 6e-4);
}
"""


def expect_drawn(page: Page, model: str, expected: list[float]) -> None:
    """Waits until the chart's points of a model say these shares, one a position, and no more."""
    page.wait_for_function(_READ, arg={"model": model, "expected": expected}, timeout=20_000)


def cell(runs: record.Record, delay: int, trained: int) -> record.Cell:
    found = runs.cell("xl", delay, trained)
    assert found is not None
    return found


def expect_measured(page: Page, runs: record.Record, delay: int, trained: int, tested: int) -> None:
    """The sentence, and then the points, say what was recorded."""
    one, seen = cell(runs, delay, trained).accuracy[tested], in_sight(delay, L, tested)
    main = page.get_by_test_id("stMain")
    if seen.any():
        expect(main).to_contain_text(f"{one[seen].mean():.2f} where the source is in sight")
    if not seen.all():
        expect(main).to_contain_text(f"{one[~seen].mean():.2f} elsewhere")
    rule = "at every position" if seen.all() else "at no position" if not seen.any() else f"from p = {seen.argmax()} on"
    expect(main).to_contain_text(rule)
    expect_drawn(page, "Transformer-XL", one.tolist())


def test_the_cliff_is_placed_then_shown_and_moves_with_the_memory(echo: Page, runs: record.Record) -> None:
    expect(echo.get_by_role("heading", name="How far back can it copy?")).to_be_visible()
    expect_drawn(echo, "Transformer-XL", [])
    expect(echo.get_by_text("from p = 23")).to_have_count(0)
    move(echo, "pointer", "ArrowRight", 2)
    expect(figure(echo, "echo-accuracy")).to_contain_text("your line: p = 18")
    echo.get_by_role("button", name="Reveal").click()
    expect(echo.get_by_text("You said p = 18")).to_be_visible()
    expect(figure(echo, "echo-accuracy")).to_contain_text("one look reaches: p ≥ 23")
    expect_measured(echo, runs, 40, 64, 16)

    move(echo, "tested", "ArrowRight")
    expect_measured(echo, runs, 40, 64, 24)
    move(echo, "tested", "End")
    expect_measured(echo, runs, 40, 64, 128)
    move(echo, "tested", "Home")
    expect_measured(echo, runs, 40, 64, 0)
    echo.get_by_role("button", name="Place it again").click()
    expect(echo.get_by_role("button", name="Reveal")).to_be_visible()
    expect(figure(echo, "echo-accuracy")).not_to_contain_text("one look reaches")


def test_sliders_at_both_ends(echo: Page, runs: record.Record) -> None:
    echo.get_by_role("button", name="Reveal").click()
    for key, ends in (("delay", {"Home": 8, "End": 96}), ("trained", {"Home": 0, "End": 96})):
        for press, value in ends.items():
            move(echo, key, press)
            settings = {"delay": 40, "trained": 64, key: value} if key == "delay" else {"delay": 96, "trained": value}
            expect_measured(echo, runs, settings["delay"], settings["trained"], 16)
    expect(echo).to_have_url(re.compile(r"(?=.*\bD=96\b)(?=.*trained=96\b)(?=.*revealed=1)"))
    for press, words in (("End", "nowhere"), ("Home", "your line: p = 0")):
        move(echo, "pointer", press)
        expect(figure(echo, "echo-accuracy")).to_contain_text(words)
        expect(figure(echo, "echo-strip")).to_be_visible()


def test_vanilla_wakes_up_where_d_fits_into_its_segment(page: Page, app_url: str, runs: record.Record) -> None:
    page.goto(f"{app_url}/echo_test?D=20&revealed=1")
    vanilla = runs.cell("vanilla", 20)
    assert vanilla is not None
    expect(page.get_by_test_id("stMain")).to_contain_text(f"Vanilla wakes up at p = 19: {vanilla.accuracy[0][19:].mean():.2f}")
    expect(figure(page, "echo-strip")).to_contain_text("D = 20 back: in sight")
    expect_drawn(page, "Vanilla", vanilla.accuracy[0].tolist())


def test_the_facts_can_be_taken_home(page: Page, app_url: str, runs: record.Record) -> None:
    page.goto(f"{app_url}/echo_test?tested=24&revealed=1")
    chart = page.locator(".st-key-txl-chart-echo-accuracy")
    expect(figure(page, "echo-strip")).to_be_visible()
    for item, name in (("Download CSV", "csv"), ("Download SVG", "svg"), ("Download PNG", "png")):
        chart.get_by_role("button", name="Table and downloads").click()
        with page.expect_download() as download:
            chart.get_by_role("menuitem", name=item).click()
        assert download.value.suggested_filename == f"echo-D40-M64-tested-M24.{name}"
        if name == "csv":
            rows = list(csv.reader(io.StringIO(Path(download.value.path()).read_text(encoding="utf-8-sig"))))
            at = next(n for n, head in enumerate(rows[0]) if "Transformer-XL" in head)
            assert [float(row[at]) for row in rows[1:]] == pytest.approx(cell(runs, 40, 64).accuracy[24], abs=1e-5)


def test_training_here_shows_its_progress_is_cancelled_at_once_and_bars_the_second(echo: Page, app_url: str) -> None:
    button = echo.locator(".st-key-echo_train").get_by_role("button")
    button.click()
    expect(echo.get_by_test_id("stProgress")).to_contain_text(
        re.compile(r"Transformer-XL: step [1-9]\d* of 600"), timeout=60_000
    )
    expect(figure(echo, "echo-training")).to_be_visible()
    second = echo.context.new_page()
    second.goto(f"{app_url}/echo_test?D=24")
    second.locator(".st-key-echo_train").get_by_role("button").click()
    expect(second.get_by_text("Someone is training a pair (D = 40, M = 64)")).to_be_visible()
    echo.locator(".st-key-echo_cancel").get_by_role("button").click()
    expect(echo.get_by_text("Cancelled. Nothing is kept.")).to_be_visible()
    expect(second.get_by_text("it is your turn")).to_be_visible()
    second.close()


def test_a_pair_is_trained_and_answers_where_it_should(echo: Page) -> None:
    """The default, to its end: about ten seconds on two idle cores."""
    echo.locator(".st-key-echo_train").get_by_role("button").click()
    done = echo.get_by_text("Trained here in")
    expect(done).to_be_visible(timeout=240_000)
    expect(done).to_contain_text("Transformer-XL: learned, 0.9")
    expect(done).to_contain_text("Vanilla: the source is in sight nowhere")
    trained = echo.locator(".st-key-txl-chart-echo-trained .vega-embed svg").first
    expect(trained).to_contain_text("one look reaches: p ≥ 23")
    move(echo, "tested_here", "ArrowRight")
    expect(trained).to_contain_text("one look reaches: p ≥ 15")
    expect(figure(echo, "echo-strip")).to_contain_text("M = 24")


def test_the_folds_open(echo: Page, runs: record.Record) -> None:
    echo.get_by_text("Can it learn to pass a symbol on?").click()
    expect(figure(echo, "echo-relay")).to_be_visible()
    sg = [run for run in runs.relay if run.gradient_segments == 1 and run.memory == 8]
    expect(echo.get_by_test_id("stMain")).to_contain_text(
        f"stop-gradient (k = 1): {sum(r.learned for r in sg)} of {len(sg)} learned"
    )
    echo.get_by_text("How it was recorded").click()
    expect(echo.get_by_role("table").last).to_contain_text("Vanilla")
    echo.get_by_text("Your text waits").click()
    expect(echo.get_by_role("textbox", name="Text")).to_be_visible()


@pytest.mark.parametrize("address", ["", "?revealed=1&tested=8&D=8", "?revealed=1&tested=128&D=96&p=32"])
def test_nothing_is_cut_off_on_a_telephone(page: Page, app_url: str, address: str) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(f"{app_url}/echo_test{address}")
    expect(figure(page, "echo-strip")).to_be_visible()
    for key in ("echo-accuracy", "echo-strip"):
        box = box_of(figure(page, key))
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= 391
    assert page.get_by_test_id("stMain").evaluate("main => main.scrollWidth <= main.clientWidth")


def test_control_and_figure_are_visible_together(echo: Page) -> None:
    echo.get_by_role("button", name="Reveal").click()
    expect(figure(echo, "echo-accuracy")).to_contain_text("one look reaches")
    for target in (
        echo.get_by_role("heading").first,
        echo.locator(".st-key-echo_tested"),
        figure(echo, "echo-accuracy"),
        figure(echo, "echo-strip"),
    ):
        box = box_of(target)
        assert box["y"] >= 0
        assert box["y"] + box["height"] <= 900
