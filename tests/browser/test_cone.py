"""The dependency cone in a real browser: lenses, pointer and keyboard, numbers against the Python API, files, small screens."""

from __future__ import annotations

import csv
import io
import re
from pathlib import Path
from urllib.parse import urlencode

import pytest
from playwright.sync_api import Locator, Page, expect

import txlviz
from txlviz.analysis.change_by_token import change_by_token
from txlviz.analysis.gradients import gradients
from txlviz.analysis.reach import reachable
from txlviz.analysis.replaced import changes

pytestmark = pytest.mark.browser

ROOT = Path(__file__).parents[2]
TEXT = (
    "The river rises in the northern hills, and the old mill beside it was built by Thomas <b>Calder</b>. In the spring the "
    "water is high, and the wheel turns day and night. In the autumn the meadows are dry, and the sheep come down the hills."
)
L, M, PLACE, N = 8, 8, 44, 4  # position 4 of the sixth segment
FIRST_MEMORY = PLACE // L * L - M


@pytest.fixture(scope="module")
def xl() -> txlviz.Checkpoint:
    return txlviz.load(ROOT / "checkpoints/wikitext2-4l/xl")


@pytest.fixture(scope="module")
def inputs(xl: txlviz.Checkpoint) -> list[str]:
    return txlviz.trace(xl, TEXT, L, M, record=[]).inputs


def open_cone(page: Page, app_url: str, **address: object) -> Locator:
    """The cone of the page, with the text and the settings from the address."""
    settings = {"text": TEXT, "L": L, "M": M, "token": PLACE, **address}
    page.goto(f"{app_url}/recurrence_and_memory?{urlencode(settings)}")
    cone = page.locator(".st-key-cone .cone")
    expect(cone.locator("svg .nodes > *").first).to_be_attached(timeout=60_000)
    return cone


def node(cone: Locator, row: int, place: int) -> Locator:
    """One node, where nodes are circles: they stand row by row, the embeddings first."""
    first, count = window(cone)
    return cone.locator("svg .nodes > circle").nth(row * count + place - first)


def window(cone: Locator) -> tuple[int, int]:
    """First place and number of places that are shown, from the figure's own table."""
    rows = table(cone)
    return int(rows[0]["place"]), len(rows)


def table(figure: Locator) -> list[dict[str, str]]:
    """The table of a figure; opens it first where it isn't open."""
    if not figure.locator("table").count():
        choose(figure, "Show as a table")
    cells = figure.locator("table").evaluate("t => [...t.rows].map((row) => [...row.cells].map((cell) => cell.textContent))")
    return [dict(zip(cells[0], row, strict=True)) for row in cells[1:]]


def choose(figure: Locator, action: str) -> None:
    figure.get_by_role("button", name="Table and downloads").click()
    figure.get_by_role("menuitem", name=action).click()


def lens(page: Page, name: str) -> None:
    page.get_by_role("radio", name=name).click()


def test_hovering_says_what_reaches(page: Page, app_url: str, xl: txlviz.Checkpoint, inputs: list[str]) -> None:
    cone = open_cone(page, app_url)
    span = int(txlviz.memory_span(N, L, M)[-1, PLACE % L])
    facts = cone.locator(".facts")
    expect(facts).to_contain_text(f"“{inputs[PLACE - span]}”, {span} tokens back")
    expect(page.get_by_text(f"{span} tokens", exact=True)).to_be_visible()
    reach = reachable(N, L, M, PLACE, len(inputs))
    shown = table(cone)
    heads = ["embeddings", *(f"layer {n}" for n in range(1, N + 1))]
    for line in shown:
        assert [line[f"{head}: reaches"] == "yes" for head in heads] == reach[:, int(line["place"])].tolist()
    for row, place, words in (
        (1, PLACE - span, "doesn't reach"),
        (0, PLACE - span, "reaches"),
        (N - 1, FIRST_MEMORY, "reaches"),
        (N - 1, FIRST_MEMORY - 1, "doesn't reach"),
    ):
        node(cone, row, place).hover(force=True)  # lines lie on some nodes
        name = f"layer {row}" if row else "embedding"
        back = PLACE // L - place // L
        segments = "1 segment back" if back == 1 else f"{back} segments back"
        expect(facts).to_have_text(f"{name}, “{inputs[place]}”, {PLACE - place} tokens back, {segments}: {words}")
        assert (cone.locator("svg .nodes").get_attribute("opacity") == "0.35") == (words == "reaches"), "paths are lit"


def test_does_change_shows_the_measured_sizes(page: Page, app_url: str, xl: txlviz.Checkpoint, inputs: list[str]) -> None:
    cone = open_cone(page, app_url)
    lens(page, "does change")
    strip = page.locator(".st-key-cone_strip .cone")
    span = int(txlviz.memory_span(N, L, M)[-1, PLACE % L])
    expect(cone.locator(".title")).to_have_text(f"“{inputs[PLACE - span]}” becomes “␣the”: what changes, and by how much")
    end = (PLACE // L + 1) * L
    for replaced in (PLACE - span, PLACE - span - 1, PLACE - 3):
        if replaced != PLACE - span:
            node(cone, 0, replaced).click(force=True)
            expect(cone.locator(".title")).to_contain_text(f"“{inputs[replaced]}” becomes")
        found = changes(xl, TEXT, L, M, replaced=replaced, until=end)
        for line in table(cone):
            for row in range(N + 1):
                head = f"layer {row}: change (share of its length)" if row else "embeddings: change (share of its length)"
                value = found.size[row, int(line["place"])]
                assert float(line[head]) == pytest.approx(value, rel=2e-3)
                assert (float(line[head]) == 0) == (value == 0)
    expect(strip.locator("svg rect").first).to_be_attached(timeout=30_000)
    first, _ = window(cone)
    found_all = change_by_token(xl, TEXT, L, M, place=PLACE, replaced=range(first, PLACE))
    for line in table(strip):
        for n in range(N):
            value = found_all.size[n, int(line["place"]) - first]
            assert float(line[f"change after layer {n + 1} (share of its length)"]) == pytest.approx(value, rel=2e-3)
    expect(strip.locator(".facts")).to_contain_text(f"Of the {PLACE - span - first} outside the cone none does, bit for bit.")


def test_gets_gradient_with_and_without_stop_gradient(page: Page, app_url: str, xl: txlviz.Checkpoint) -> None:
    cone = open_cone(page, app_url, lens="gradient")
    for stops in (True, False):
        found = gradients(xl, TEXT, L, M, segment=PLACE // L, stop_gradient=stops)
        said = "exactly 0" if stops else f"{(found.size[0, : found.start] > 0).sum()} of the {found.start} input embeddings"
        expect(cone.locator(".facts")).to_contain_text(said)
        for line in table(cone):
            value = found.size[0, int(line["place"])]
            assert float(line["embeddings: gradient (nats per unit)"]) == pytest.approx(value, rel=2e-3)
            if stops and int(line["place"]) < found.start:
                assert value == 0
        page.locator(".st-key-cone_sg label").click()
    expect(cone.locator(".facts")).to_contain_text("exactly 0")


def test_pointer_and_keys_select_another_token(page: Page, app_url: str, inputs: list[str]) -> None:
    cone = open_cone(page, app_url)
    node(cone, N, PLACE - 5).click(force=True)
    expect(cone.locator(".title")).to_have_text(f"Everything that can reach the last layer at “{inputs[PLACE - 5]}”")
    expect(page).to_have_url(re.compile(rf"token={PLACE - 5}\b"))
    stage = cone.locator(".stage")
    stage.focus()
    for _ in range(3):  # held keys: faster than the server answers
        stage.press("ArrowRight")
    expect(page).to_have_url(re.compile(rf"token={PLACE - 2}\b"))
    expect(cone.locator(".title")).to_contain_text(f"“{inputs[PLACE - 2]}”")
    stage.press("Shift+ArrowLeft")
    stage.press("ArrowDown")
    expect(cone.locator(".facts")).to_contain_text(f"layer {N - 1}, “{inputs[PLACE - 3]}”, 1 token back, same segment: reaches")
    stage.press("Enter")
    expect(cone.locator(".title")).to_contain_text(f"“{inputs[PLACE - 3]}”")


def test_the_vanilla_model_stops_at_its_segment(page: Page, app_url: str) -> None:
    cone = open_cone(page, app_url)
    page.get_by_role("radio", name="Vanilla").click()
    expect(cone.locator(".facts")).to_contain_text(f"{PLACE % L} tokens back")
    places = [int(line["place"]) for line in table(cone) if line["embeddings: reaches"] == "yes"]
    assert places == list(range(PLACE // L * L, PLACE + 1))


@pytest.mark.parametrize(("length", "rows"), [(8, 0), (8, 512), (256, 0), (256, 512)])
def test_the_ends_of_the_sliders(page: Page, app_url: str, inputs: list[str], length: int, rows: int) -> None:
    cone = open_cone(page, app_url, L=length, M=rows, lens="change")
    reach = reachable(N, length, rows, PLACE, len(inputs))
    places = [int(line["place"]) for line in table(cone)]
    assert places[0] <= reach[0].argmax() <= PLACE < places[-1] + 1
    span = int(txlviz.memory_span(N, length, rows)[-1, PLACE % length])
    expect(page.get_by_text(f"{span:,} tokens", exact=True)).to_be_visible()
    expect(page.locator(".st-key-cone_strip svg rect").first).to_be_attached(timeout=60_000)


def test_the_files(page: Page, app_url: str, inputs: list[str]) -> None:
    cone = open_cone(page, app_url)
    saved = {}
    for kind in ("CSV", "SVG", "PNG"):
        with page.expect_download() as download:
            choose(cone, f"Download {kind}")
        assert download.value.suggested_filename == f"cone-reach.{kind.lower()}"
        saved[kind] = Path(download.value.path()).read_bytes()
    lines = list(csv.DictReader(io.StringIO(saved["CSV"].decode("utf-8-sig"))))
    assert [line["token"] for line in lines] == inputs[int(lines[0]["place"]) : int(lines[-1]["place"]) + 1]
    picture = saved["SVG"].decode()
    assert picture.startswith("<svg")
    assert "var(--" not in picture, "its colours are its own"
    assert "Everything that can reach" in picture
    assert saved["PNG"].startswith(b"\x89PNG")
    assert len(saved["PNG"]) > 10_000


@pytest.mark.parametrize("address", [{"lens": "change"}, {"L": 64, "M": 64, "token": 80}, {"lens": "gradient"}])
def test_a_small_screen_cuts_nothing_off(page: Page, app_url: str, address: dict[str, object]) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    cone = open_cone(page, app_url, **address)
    figures = [cone]
    if address.get("lens") == "change":
        figures.append(page.locator(".st-key-cone_strip .cone"))
        expect(figures[1].locator("svg rect").first).to_be_attached(timeout=30_000)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    for figure in figures:
        outside = figure.locator("svg").evaluate(
            """svg => { const box = svg.getBoundingClientRect();
                return [...svg.querySelectorAll("text, circle")].filter((one) => { const b = one.getBoundingClientRect();
                    return b.left < box.left - 1 || b.right > box.right + 1 || b.bottom > box.bottom + 1; })
                    .map((one) => one.textContent || one.outerHTML); }"""
        )
        assert outside == []
