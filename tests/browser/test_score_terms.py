"""The Score terms page in a real browser: what is on the screen against what the Python API says."""

import csv
import io
import re
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Page, expect

import txlviz

pytestmark = pytest.mark.browser

ROOT = Path(__file__).parents[2]
SLOW = 30_000  # ms; a machine that also trains may be slow
TEXT = (
    "The river rises in the northern hills and flows past the town of Ashford, where the old mill was built by Thomas Calder. "
    "In the spring the water is high, and the mill wheel turns day and night. Calder sold the mill to his brother in 1843. "
    "A railway came to the town ten years later, and a bridge was built over the river below the mill."
)


@pytest.fixture(scope="module")
def xl():
    return txlviz.load(ROOT / "checkpoints/wikitext2-4l/xl")


@pytest.fixture
def opened(page: Page, app_url: str) -> Page:
    """The page, shown for its default text, by its own address: the first visitor of a server may come that way."""
    page.goto(f"{app_url.rstrip('/')}/score_terms")
    expect(page.get_by_test_id("number-score")).not_to_be_empty(timeout=SLOW)
    return page


@pytest.fixture
def typed(opened: Page) -> Page:
    """The page with ``TEXT`` typed into it."""
    type_text(opened, TEXT)
    return opened


def type_text(page: Page, text: str) -> None:
    stamp = page.get_by_test_id("score-maps").get_attribute("data-stamp")
    box = page.get_by_role("textbox").first
    box.fill(text)
    box.press("Control+Enter")
    expect(page.get_by_test_id("score-maps")).not_to_have_attribute("data-stamp", stamp, timeout=SLOW)


def press(page: Page, name: str, key: str, value: int) -> None:
    """Moves one of the shared sliders with a key, and waits until the maps have followed."""
    stamp = page.get_by_test_id("score-maps").get_attribute("data-stamp")
    page.get_by_role("slider", name=name).press(key)
    expect(page).to_have_url(re.compile(rf"{name[-1]}={value}\b"), timeout=SLOW)
    expect(page.get_by_test_id("score-maps")).not_to_have_attribute("data-stamp", stamp or "", timeout=SLOW)


def cell(page: Page) -> tuple[int, int]:
    """Places of the query and the key that the equation speaks of."""
    node = page.get_by_test_id("cell").first
    return int(node.get_attribute("data-query") or -1), int(node.get_attribute("data-key") or -1)


def number(page: Page, name: str) -> float:
    """A number of the equation as it is read on the screen."""
    return float(page.get_by_test_id(f"number-{name}").first.inner_text().replace("−", "-").rstrip(" %"))


def expect_numbers(page: Page, run: txlviz.Trace, segment: int, layer: int, head: int, off: str = "") -> None:
    """Every number on the screen is the API's for the cell on the screen, to the digits shown.

    Like Playwright's own expectations it looks again for a while: a key moves the cell at once, an answer of the server later.
    """
    for _ in range(60):
        wrong = wrong_numbers(page, run, segment, layer, head, off)
        if not wrong:
            return
        page.wait_for_timeout(50)
    raise AssertionError(f"on the screen and by the API: {wrong}")


def wrong_numbers(page: Page, run: txlviz.Trace, segment: int, layer: int, head: int, off: str) -> dict[str, object]:
    """What differs from the API, by name: the number shown and the right one."""
    i, j = cell(page)
    part = run.segments[segment]
    record, row, column = part.layers[layer], i - part.start, j - part.first_key
    queries, keys = record.visible.shape
    if not (0 <= row < queries and 0 <= column < keys):
        return {"cell": (i, j)}
    right = {term: record.terms[term][head, row, column] / np.sqrt(run.d_head) for term in "abcd" if term not in off}
    right |= {"score": record.scores[head, row, column], "weight": 100 * record.weights[head, row, column]}
    shown = {name: number(page, name) for name in right}
    wrong = {n: (shown[n], right[n]) for n in right if abs(shown[n] - right[n]) > (6e-3 if n == "weight" else 6e-4)}
    return wrong if run.inputs[i] in page.get_by_test_id("cell").first.inner_text() else {**wrong, "token": run.inputs[i]}


def point(page: Page, across: float, down: float) -> tuple[float, float]:
    """A point on the first map, by shares of the stage."""
    area = page.get_by_test_id("stage").first.bounding_box()
    assert area is not None
    return area["x"] + across * area["width"], area["y"] + down * area["height"]


def test_a_click_on_a_cell_shows_its_numbers_and_holds_them(typed: Page, xl: txlviz.Checkpoint) -> None:
    run = txlviz.trace(xl, TEXT, 64, xl.config.mem_len, record=[1])
    before = cell(typed)
    typed.mouse.move(*point(typed, 0.15, 0.2))
    expect(typed.get_by_test_id("cell")).not_to_have_attribute("data-key", str(before[1]))
    expect_numbers(typed, run, 1, 0, 0)
    hovered = cell(typed)
    typed.mouse.move(*point(typed, 0.2, 0.3))
    expect(typed.get_by_test_id("cell")).not_to_have_attribute("data-key", str(hovered[1]))
    typed.mouse.down()
    typed.mouse.up()
    expect(typed.get_by_test_id("score-maps")).to_have_class(re.compile("locked"))
    locked = cell(typed)
    expect_numbers(typed, run, 1, 0, 0)
    typed.mouse.move(*point(typed, 0.12, 0.15))
    assert cell(typed) == locked
    # Python heard of it: the token is the one that all pages speak of.
    expect(typed).to_have_url(re.compile(rf"token={locked[0]}\b"))
    assert cell(typed) == locked
    typed.keyboard.press("Escape")
    expect(typed.get_by_test_id("score-maps")).not_to_have_class(re.compile("locked"))


def test_the_sliders_change_the_computation(typed: Page, xl: txlviz.Checkpoint) -> None:
    maps = typed.get_by_test_id("score-maps")
    press(typed, "Segment length L", "Home", 8)
    press(typed, "Memory length M", "Home", 0)
    for rows in (1, 2, 3):
        press(typed, "Memory length M", "ArrowRight", rows)
    segment = int(maps.get_attribute("data-segment") or -1)
    run = txlviz.trace(xl, TEXT, 8, 3, record=[segment])
    expect(typed.get_by_test_id("query-out")).to_contain_text(f"of {len(run.segments)}:")
    assert run.segments[segment].memory_rows == 3
    expect_numbers(typed, run, segment, 0, 0)


def test_a_head_is_picked_in_the_overview_and_with_the_controls(typed: Page, xl: txlviz.Checkpoint) -> None:
    run = txlviz.trace(xl, TEXT, 64, xl.config.mem_len, record=[1])
    maps = typed.get_by_test_id("score-maps")
    kept = cell(typed)
    typed.get_by_test_id("thumb-3-2").click()
    expect(maps).to_have_attribute("data-layer", "2", timeout=SLOW)
    expect(maps).to_have_attribute("data-head", "1")
    expect(typed.get_by_test_id("thumb-3-2")).to_have_attribute("aria-pressed", "true")
    assert cell(typed) == kept
    expect_numbers(typed, run, 1, 2, 1)
    typed.get_by_role("combobox", name="Head").click()
    typed.get_by_role("option", name="Head 4").click()
    expect(maps).to_have_attribute("data-head", "3", timeout=SLOW)
    expect_numbers(typed, run, 1, 2, 3)
    typed.get_by_test_id("thumb-3-2").click()
    expect(maps).to_have_attribute("data-head", "1", timeout=SLOW)


def test_the_query_walks_over_the_boundary(typed: Page, xl: txlviz.Checkpoint) -> None:
    run = txlviz.trace(xl, TEXT, 64, xl.config.mem_len, record=[0, 1])
    slider, maps = typed.get_by_test_id("query-slider"), typed.get_by_test_id("score-maps")
    slider.fill("64")
    expect(typed.get_by_test_id("query-out")).to_have_attribute("data-place", "64")
    expect_numbers(typed, run, 1, 0, 0)
    slider.press("ArrowLeft")
    expect(maps).to_have_attribute("data-segment", "0", timeout=SLOW)
    assert cell(typed)[0] == 63
    expect_numbers(typed, run, 0, 0, 0)
    # And back, with the keys of the maps themselves.
    typed.get_by_test_id("stage").press("ArrowDown")
    expect(maps).to_have_attribute("data-segment", "1", timeout=SLOW)
    assert cell(typed)[0] == 64
    typed.get_by_test_id("stage").press("ArrowLeft")
    expect_numbers(typed, run, 1, 0, 0)


@pytest.mark.parametrize("what", ["stage", "query-slider"])
def test_a_held_key_goes_on_over_the_boundaries(typed: Page, xl: txlviz.Checkpoint, what: str) -> None:
    press(typed, "Segment length L", "Home", 8)
    run = txlviz.trace(xl, TEXT, 8, xl.config.mem_len, record=range(12))
    place, maps = cell(typed)[0], typed.get_by_test_id("score-maps")
    key, back = ("ArrowDown", "ArrowUp") if what == "stage" else ("ArrowRight", "ArrowLeft")
    typed.get_by_test_id(what).focus()
    for steps, name in ((30, key), (13, back)):
        for _ in range(steps):
            typed.keyboard.press(name)
            typed.wait_for_timeout(30)  # as a held key repeats
        place += steps if name == key else -steps
        expect(maps).to_have_attribute("data-segment", str(place // 8), timeout=SLOW)
        expect(typed.get_by_test_id("cell")).to_have_attribute("data-query", str(place))
        expect(typed).to_have_url(re.compile(rf"token={place}\b"))
        assert cell(typed)[0] == place
        expect_numbers(typed, run, place // 8, 0, 0)
    expect(typed.get_by_test_id("query-out")).to_have_attribute("data-place", str(place))


def test_a_key_pressed_while_the_last_rest_is_answered_counts(typed: Page) -> None:
    start, stage = cell(typed)[0], typed.get_by_test_id("stage")
    stage.focus()
    rests = range(255, 405, 15)  # milliseconds: Python has just been told, and its answer is on its way
    for rest in rests:
        typed.keyboard.press("ArrowUp")
        typed.wait_for_timeout(rest)
        typed.keyboard.press("ArrowUp")
        typed.keyboard.press("ArrowUp")
    place = start - 3 * len(rests)
    expect(typed).to_have_url(re.compile(rf"token={place}\b"))
    assert cell(typed)[0] == place


def test_the_first_cell_is_in_memory(typed: Page) -> None:
    query, key = cell(typed)
    assert key < 64 <= query
    expect(typed.get_by_test_id("cell")).to_contain_text("in memory")


def test_a_reload_keeps_layer_head_and_terms(typed: Page) -> None:
    maps = typed.get_by_test_id("score-maps")
    typed.get_by_test_id("thumb-3-2").click()
    expect(maps).to_have_attribute("data-layer", "2", timeout=SLOW)
    typed.get_by_role("button", name="(b)").click()
    expect(typed.get_by_test_id("number-b")).to_have_text("off", timeout=SLOW)
    expect(typed).to_have_url(re.compile(r"(?=.*layer=3)(?=.*head=2)(?=.*terms=acd)"))
    typed.reload()
    expect(typed.get_by_test_id("number-b")).to_have_text("off", timeout=SLOW)
    expect(maps).to_have_attribute("data-layer", "2")
    expect(maps).to_have_attribute("data-head", "1")


def test_a_term_off_shows_the_apis_loss_and_the_changed_models_maps(typed: Page, xl: txlviz.Checkpoint) -> None:
    M = xl.config.mem_len
    typed.get_by_role("button", name="(b)").click()
    ordinary = txlviz.trace(xl, TEXT, 64, M, record=[])
    changed = txlviz.trace(xl, TEXT, 64, M, without="b", layer=0, record=[1])
    said = f"mean loss {ordinary.losses.mean():.3f} → {changed.losses.mean():.3f} nats a token"
    expect(typed.get_by_text(said)).to_be_visible(timeout=SLOW)
    expect(typed.get_by_test_id("number-b")).to_have_text("off")
    expect_numbers(typed, changed, 1, 0, 0, off="b")
    typed.get_by_text("in all layers", exact=True).click()
    changed = txlviz.trace(xl, TEXT, 64, M, without="b", record=[1])
    said = f"mean loss {ordinary.losses.mean():.3f} → {changed.losses.mean():.3f} nats a token"
    expect(typed.get_by_text(said)).to_be_visible(timeout=SLOW)


def test_the_ladder_lists_the_largest_weights_and_picks_a_key(typed: Page, xl: txlviz.Checkpoint) -> None:
    run = txlviz.trace(xl, TEXT, 64, xl.config.mem_len, record=[1])
    part = run.segments[1]
    row = part.layers[0].weights[0][cell(typed)[0] - part.start]
    largest = np.argsort(-row)[:6]
    for n, column in enumerate(largest):
        expect(typed.get_by_test_id(f"rung-{n}")).to_contain_text(f"{100 * row[column]:.1f} %")
    typed.get_by_test_id("rung-3").click()
    expect(typed.get_by_test_id("cell")).to_have_attribute("data-key", str(part.first_key + largest[3]))
    expect_numbers(typed, run, 1, 0, 0)


def test_the_rebuilt_weights_are_the_ordinary_ones(typed: Page) -> None:
    badge = typed.get_by_test_id("residual")
    assert float(badge.get_attribute("data-value") or 1) <= 1e-5
    expect(badge).to_contain_text("within")
    expect(badge).not_to_have_class(re.compile(r"\bbad\b"))
    typed.get_by_test_id("score-maps").evaluate("maps => { maps.app.scene.header.residual = 2e-5; maps.app.showFoot(); }")
    expect(badge).to_have_class(re.compile(r"\bbad\b"))
    expect(badge).to_contain_text("differ by 2.0e-5, above the limit 1e-5")


def test_the_facts_can_be_read_and_kept(typed: Page, xl: txlviz.Checkpoint) -> None:
    run = txlviz.trace(xl, TEXT, 64, xl.config.mem_len, record=[1])
    part = run.segments[1]
    files = {}
    for kind in ("csv", "svg", "png"):
        typed.get_by_test_id("menu").locator("summary").click()
        with typed.expect_download() as download:
            typed.get_by_test_id(f"{kind}-button").click()
        assert download.value.suggested_filename == f"txlviz-xl-segment2-layer1-head1.{kind}"
        files[kind] = Path(download.value.path()).read_bytes()
    assert files["png"].startswith(b"\x89PNG")
    assert "content to position" in files["svg"].decode()
    assert "color(" not in files["svg"].decode(), "a colour that other programs don't read"
    rows = list(csv.DictReader(io.StringIO(files["csv"].decode())))
    assert len(rows) == part.layers[0].visible.sum()
    for row in (rows[0], rows[77], rows[-1]):
        i, j = int(row["query_place"]), int(row["key_place"])
        assert (row["query_token"], row["key_token"]) == (run.inputs[i], run.inputs[j])
        at = (0, i - part.start, j - part.first_key)
        assert float(row["weight"]) == pytest.approx(part.layers[0].weights[at], rel=1e-6)
        assert float(row["score"]) == pytest.approx(part.layers[0].scores[at], rel=1e-5)
    typed.get_by_test_id("menu").locator("summary").click()
    typed.get_by_test_id("table-button").click()
    query = cell(typed)[0]
    expect(typed.get_by_test_id("table").locator("tbody tr")).to_have_count(query + 1)


def test_typed_text_appears_as_typed(opened: Page, xl: txlviz.Checkpoint) -> None:
    text = "<b>bold</b> $x^2$ **stars** <img src=x onerror=alert(1)>"
    type_text(opened, text)
    run = txlviz.trace(xl, text, 64, 0, record=[])
    place = next(n for n, token in enumerate(run.inputs) if "*" in token)
    opened.get_by_test_id("query-slider").fill(str(place))
    expect(opened.get_by_test_id("cell")).to_contain_text(f"Query {run.inputs[place]} ({place})")
    expect(opened.get_by_test_id("query-out")).to_contain_text("".join(run.inputs[:3]))
    assert opened.get_by_test_id("score-maps").locator("b, img").count() == 0


def test_the_vanilla_model_follows_the_cell(typed: Page) -> None:
    vanilla = txlviz.load(ROOT / "checkpoints/wikitext2-4l/vanilla")
    run = txlviz.trace(vanilla, TEXT, 64, 0, record=[1])
    typed.get_by_text("Vanilla too", exact=True).click()
    expect(typed.get_by_test_id("score-maps")).to_have_count(2, timeout=SLOW)
    typed.get_by_test_id("query-slider").first.fill("70")
    other = typed.get_by_test_id("cell").nth(1)
    expect(other).to_have_attribute("data-query", "70")
    at = (0, 6, int(other.get_attribute("data-key") or -1) - 64)
    shown = float(typed.get_by_test_id("number-score").nth(1).inner_text().replace("−", "-"))
    assert shown == pytest.approx(run.segments[1].layers[0].scores[at], abs=6e-4)


@pytest.mark.parametrize("width", [390, 1440])
def test_nothing_is_cut_off(typed: Page, width: int) -> None:
    typed.set_viewport_size({"width": width, "height": 900})
    stage = typed.get_by_test_id("stage")
    expect(stage).to_be_visible()
    inside = """node => {
      const main = document.querySelector('.stMain');
      return main.scrollWidth <= main.clientWidth && node.getBoundingClientRect().right <= window.innerWidth;
    }"""
    assert stage.evaluate(inside)
    if width == 1440:
        area, query = stage.bounding_box(), typed.get_by_test_id("walk").bounding_box()
        assert area is not None
        assert query is not None
        assert query["y"] > 0
        assert area["y"] + area["height"] <= 900, "the control and the figure are visible together"
