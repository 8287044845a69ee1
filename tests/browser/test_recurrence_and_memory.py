"""The Recurrence and memory page below its cone, in a real browser: what is on the screen against what the Python API says."""

from __future__ import annotations

import csv
import io
import re
from pathlib import Path
from urllib.parse import quote

import pytest
from playwright.sync_api import Locator, Page, expect

import txlviz
from txlviz.analysis.kv_cache import compare_cuts
from txlviz.analysis.memory_rows import MemoryRows, memory_rows
from txlviz.ui.recurrence.words import size

pytestmark = pytest.mark.browser

ROOT = Path(__file__).parents[2]
SLOW = 60_000  # the first view of a page loads both models
TEXT = (
    "The river rises in the northern hills, and the old mill beside it was built by Thomas Calder. In the spring the water is "
    "high, and the wheel turns day and night. In the autumn the meadows are dry."
)


@pytest.fixture(scope="module")
def xl() -> txlviz.Checkpoint:
    return txlviz.load(ROOT / "checkpoints/wikitext2-4l/xl")


def visit(page: Page, app_url: str, **address: object) -> Page:
    query = "&".join(f"{name}={quote(str(value))}" for name, value in {"text": TEXT, "L": 8, "M": 13, **address}.items())
    page.goto(f"{app_url.rstrip('/')}/recurrence_and_memory?{query}")
    expect(stepper(page)).to_have_attribute("data-step", re.compile(r"\d"), timeout=SLOW)
    return page


def stepper(page: Page) -> Locator:
    return page.get_by_test_id("memory-stepper")


def expect_step(page: Page, rows: MemoryRows, M: int, index: int) -> None:
    """All that stands on the screen of one step."""
    step, count = rows.steps[index], len(rows.steps)
    expect(stepper(page)).to_have_attribute("data-step", str(index + 1))
    expect(page.get_by_test_id("step-where")).to_have_text(
        f"Segment {index + 1} of {count}: places {step.start}–{step.stop - 1}"
    )
    expect(page.get_by_test_id("step-slider")).to_have_value(str(index + 1))
    expect(page.get_by_test_id("fact-filled")).to_have_text(f"{step.rows_kept} of {M}")
    expect(page.get_by_test_id("note-filled")).to_contain_text(f"read {step.rows_read}")
    expect(page.get_by_test_id("fact-dropped")).to_have_text(str(step.dropped))
    expect(page.get_by_test_id("fact-added")).to_have_text(str(step.added))
    if step.dropped:
        dropped = f"places {step.first_read}–{step.first_read + step.dropped - 1}"
        expect(page.get_by_test_id("note-dropped")).to_have_text(dropped)
    expect(page.get_by_test_id("fact-bytes")).to_have_attribute("data-value", str(rows.bytes_held(step.rows_kept)))
    if step.rows_kept:
        segment = next(n for n, other in enumerate(rows.steps) if step.first_kept < other.stop)
        expect(page.get_by_test_id("fact-oldest")).to_have_text(f"place {step.first_kept}")
        token = rows.inputs[step.first_kept]
        age = step.stop - 1 - step.first_kept
        expect(page.get_by_test_id("note-oldest")).to_have_text(f"{token} from segment {segment + 1}, {age} back")
    else:
        expect(page.get_by_test_id("note-oldest")).to_have_text("nothing is kept")
    drawn = bars(page)
    spans = [(step.first_read, step.start), (step.first_kept, step.stop)]
    assert drawn.get("memory", []) == [span for span in spans if span[0] < span[1]] * rows.n_layers
    leaving = (step.first_read, step.first_read + step.dropped)
    assert drawn.get("dropped", []) == ([leaving] * rows.n_layers if step.dropped else [])
    unkept = (step.start, step.first_kept)
    assert drawn.get("not-kept", []) == ([unkept] * rows.n_layers if step.first_kept > step.start else [])
    reach = [int(row[step.first_kept]) for row in rows.earliest if step.rows_kept]
    assert [first for first, _ in drawn.get("reach", [])] == [first for first in reach if first < step.first_kept]


def bars(page: Page) -> dict[str, list[tuple[int, int]]]:
    """What the figure shows, by kind: first place and the place after the last, the first layer first."""
    found = page.locator('[data-testid="step-stage"] [data-kind]').evaluate_all(
        "nodes => nodes.map(({ dataset }) => [dataset.kind, Number(dataset.first ?? -1), Number(dataset.end ?? -1)])"
    )
    kinds: dict[str, list[tuple[int, int]]] = {}
    for kind, first, end in found:
        kinds.setdefault(kind, []).append((first, end))
    return kinds


def test_the_stepper_walks_to_the_end_and_back(page: Page, app_url: str, xl: txlviz.Checkpoint) -> None:
    visit(page, app_url, token=3)
    rows = memory_rows(xl, TEXT, 8, 13)
    last = len(rows.steps) - 1
    assert last >= 4
    expect_step(page, rows, 13, 0)
    expect(page.get_by_test_id("step-back")).to_be_disabled()
    for index in range(1, last + 1):
        page.get_by_test_id("step-next").click()
        expect_step(page, rows, 13, index)
    expect(page.get_by_test_id("step-next")).to_be_disabled()
    expect(page.get_by_test_id("step-last")).to_be_disabled()
    for index in range(last - 1, -1, -1):
        page.get_by_test_id("step-back").click()
        expect_step(page, rows, 13, index)
    checked = f"all {rows.rows_checked:,} rows of its memories equal, bit for bit"
    expect(page.get_by_test_id("step-checked")).to_contain_text(checked)


def test_keys_slider_and_play(page: Page, app_url: str, xl: txlviz.Checkpoint) -> None:
    visit(page, app_url, L=16, M=5, token=3)
    rows = memory_rows(xl, TEXT, 16, 5)
    last = len(rows.steps) - 1
    stage, slider = page.get_by_test_id("step-stage"), page.get_by_test_id("step-slider")
    for key, index in (
        ("End", last),
        ("ArrowRight", last),
        ("ArrowLeft", last - 1),
        ("Home", 0),
        ("ArrowLeft", 0),
        ("ArrowRight", 1),
    ):
        stage.press(key)
        expect_step(page, rows, 5, index)
    assert bars(page)["not-kept"] == [(16, 27)] * 4, "M is less than L: part of the segment is never kept"
    slider.press("End")
    expect_step(page, rows, 5, last)
    slider.press("Home")
    expect_step(page, rows, 5, 0)
    play = page.get_by_test_id("step-play")
    play.click()
    expect(play).to_contain_text("Pause")
    expect(stepper(page)).to_have_attribute("data-step", str(last + 1))
    expect(play).to_contain_text("Play")
    stage.press(" ")  # from the end it begins anew
    expect(play).to_contain_text("Pause")
    expect(stepper(page)).to_have_attribute("data-step", "2")
    stage.press(" ")
    expect(play).to_contain_text("Play")


def test_a_row_under_the_pointer_says_where_it_is_from(page: Page, app_url: str, xl: txlviz.Checkpoint) -> None:
    visit(page, app_url, token=20)
    rows = memory_rows(xl, TEXT, 8, 13)
    step = rows.steps[2]
    page.get_by_test_id("step-stage").scroll_into_view_if_needed()
    oldest = page.locator('[data-testid="step-stage"] [data-kind="memory"]').first.bounding_box()  # of layer 1, being read
    assert oldest is not None
    page.mouse.move(oldest["x"] + 3, oldest["y"] + oldest["height"] / 2)
    tip = stepper(page).locator(".tip")
    expect(tip).to_contain_text(f"place {step.first_read}, segment 1")
    expect(tip.locator("b")).to_have_text(rows.inputs[step.first_read])
    expect(tip).to_contain_text("embeddings; knows its own token only")


def test_the_facts_can_be_read_and_kept(page: Page, app_url: str, xl: txlviz.Checkpoint) -> None:
    visit(page, app_url)
    rows = memory_rows(xl, TEXT, 8, 13)
    files = {}
    for kind in ("CSV", "SVG", "PNG"):
        stepper(page).locator(".dots").click()
        with page.expect_download() as download:
            stepper(page).get_by_role("menuitem", name=kind).click()
        files[kind] = Path(download.value.path()).read_bytes()
    assert files["PNG"].startswith(b"\x89PNG")
    svg = files["SVG"].decode()
    assert "outputs of layer 3" in svg
    assert "var(--" not in svg, "a colour that other programs don't know"
    table = list(csv.DictReader(io.StringIO(files["CSV"].decode("utf-8-sig"))))
    assert len(table) == 4 * len(rows.steps)
    line = table[4 * 3 + 2]
    assert (line["segment"], line["layer"], line["its rows are"]) == ("4", "3", "outputs of layer 2")
    assert line["in memory after it"] == f"{rows.steps[3].first_kept}–{rows.steps[3].stop - 1}"
    assert line["oldest token"] == rows.inputs[rows.steps[3].first_kept]
    stepper(page).locator(".dots").click()
    stepper(page).get_by_role("menuitem", name="table").click()
    expect(stepper(page).locator(".table tbody tr")).to_have_count(4 * len(rows.steps))


def test_the_sliders_at_both_ends(page: Page, app_url: str, xl: txlviz.Checkpoint) -> None:
    visit(page, app_url)
    memory, layers = page.get_by_role("slider", name="Memory length M").last, page.get_by_role("slider", name="Layers N")
    for key, M in (("Home", 0), ("End", 512)):
        memory.press(key)
        expect(page).to_have_url(re.compile(rf"M={M}\b"), timeout=SLOW)
        rows = memory_rows(xl, TEXT, 8, M)
        expect(page.get_by_test_id("fact-filled")).to_have_text(f"{rows.steps[-1].rows_kept} of {M}", timeout=SLOW)
        expect_step(page, rows, M, len(rows.steps) - 1)
    page.get_by_text("M = 1", exact=True).click()
    expect(page.get_by_text("Layer 4 at p = 0: 25 tokens back")).to_be_visible(timeout=SLOW)
    for key, N in (("Home", 1), ("End", 16)):
        layers.press(key)
        reach = int(txlviz.memory_span(N, 8, 1)[-1, 0])
        expect(page.get_by_text(f"Layer {N} at p = 0: {reach} tokens back")).to_be_visible(timeout=SLOW)


def test_the_staircase_is_measured_after_it_is_drawn(page: Page, app_url: str) -> None:
    visit(page, app_url, M=0)
    chart = page.locator(".st-key-txl-chart-span_staircase")
    expect(page.get_by_text("all layers and positions agree")).to_be_visible(timeout=SLOW)
    chart.locator(".dots").click()
    chart.get_by_role("menuitem", name="table").click()
    line = chart.locator("tbody tr").nth(1).locator("td")
    expect(line).to_have_text(["1", "25", "25", "4"])  # one row remembered, four layers: 1 + 3 segments of 8
    page.get_by_text("M = 1", exact=True).click()
    expect(page.get_by_text("Layer 4 at p = 0: 25 tokens back; N·M says 4")).to_be_visible(timeout=SLOW)


def test_the_same_logits_in_every_cut(page: Page, app_url: str, xl: txlviz.Checkpoint) -> None:
    visit(page, app_url)
    page.get_by_text("Isn't this a KV cache?").click()
    expect(page.get_by_text("one token a step", exact=True)).to_be_visible(timeout=SLOW)
    page.locator(".st-key-kept_rows").get_by_text("0", exact=True).click()
    (cut,) = compare_cuts(xl, TEXT, [(8, 0)]).cuts
    said = f"With L = 8 and M = 0, the logits differ by up to {size(cut.largest)}"
    expect(page.get_by_text(said)).to_be_visible(timeout=SLOW)
    expect(page.get_by_text("one token a step", exact=True)).to_be_visible()
    page.get_by_text("Within a layer (RNN)").click()
    expect(page.get_by_text("here 17 steps")).to_be_visible(timeout=SLOW)


@pytest.mark.parametrize("width", [390, 1440])
def test_nothing_is_cut_off(page: Page, app_url: str, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 900})
    visit(page, app_url)
    page.get_by_text("Within a layer (RNN)").click()
    expect(page.locator(".st-key-txl-chart-xl_graph svg").last).to_be_visible(timeout=SLOW)
    page.get_by_text("Isn't this a KV cache?").click()
    expect(page.locator(".st-key-txl-chart-kv_tokens svg").last).to_be_visible(timeout=SLOW)
    expect(page.get_by_text("all layers and positions agree")).to_be_visible(timeout=SLOW)
    main = page.locator(".stMain")
    assert main.evaluate("main => main.scrollWidth <= main.clientWidth")
    inside = """nodes => nodes.every((node) => {
      const box = node.getBoundingClientRect();
      return box.left >= 0 && box.right <= innerWidth + 1;
    })"""
    for what in ('[data-testid="step-stage"]', ".katex-html", ".vega-embed svg", ".stSlider", ".stTable"):
        expect(page.locator(what).first, what).to_be_attached(timeout=SLOW)  # parts of a page come one after the other
        assert page.locator(what).evaluate_all(inside), what
    if width == 1440:
        stepper(page).scroll_into_view_if_needed()
        controls, figure = page.get_by_test_id("step-next").bounding_box(), page.get_by_test_id("step-stage").bounding_box()
        assert controls is not None
        assert figure is not None
        assert figure["y"] + figure["height"] - controls["y"] < 800, "the control and the figure are visible together"
