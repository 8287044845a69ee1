"""The Speed and generation page in a real browser: streams that run, stop and double, and the numbers against the API."""

from __future__ import annotations

import os
import re
import time
from itertools import islice
from pathlib import Path
from urllib.parse import urlencode

import pytest
from playwright.sync_api import Locator, Page, expect

import txlviz
from tests.browser.acting import settled
from tests.browser.figure import choose, lines
from txlviz.analysis.repetition import distinct_n
from txlviz.generation import Sampling, stream
from txlviz.ui import models
from txlviz.ui.generation.filler import filler, library

pytestmark = pytest.mark.browser

PRESET = Path(__file__).parents[2] / "checkpoints/wikitext2-4l"
TEXT = "The river rises in the hills and flows past the old mill, which Thomas Calder built. The river is wide."
SLOW = 120_000  # milliseconds; other tests may run beside


@pytest.fixture(scope="module")
def pair() -> dict[str, txlviz.Checkpoint]:
    return {kind: txlviz.load(PRESET / kind) for kind in ("xl", "vanilla")}


@pytest.fixture(scope="module")
def opened(shared_page: Page, app_url: str) -> Page:
    """The page with a short text, when the run that starts by itself has ended."""
    shared_page.goto(f"{app_url}/speed_and_generation?{urlencode({'text': TEXT})}")
    ended(shared_page)
    return shared_page


@pytest.fixture
def speed(opened: Page) -> Page:
    """The same page for all tests here, with what the one before chose: each says what it needs."""
    opened.set_viewport_size({"width": 1440, "height": 900})
    return opened


def within(seconds: float) -> float:
    """``seconds`` of a machine whose cores are free; the more programs want them, the longer."""
    return seconds * max(1.0, os.getloadavg()[0] / (os.cpu_count() or 1))


def ended(page: Page, status: str = "done") -> None:
    expect(page.get_by_role("button", name="Generate")).to_be_visible(timeout=SLOW)
    expect(page.locator(f".streams[data-status='{status}']")).to_be_visible(timeout=SLOW)
    settled(page)


def started(page: Page, button: str = "Generate") -> None:
    """Presses the button, and waits until the new run shows."""
    before = page.locator(".streams").get_attribute("data-run") or ""
    page.get_by_role("button", name=button).click()
    expect(page.locator(".streams")).not_to_have_attribute("data-run", before, timeout=SLOW)


def press(page: Page, name: str, *keys: str) -> None:
    for key in keys:
        page.get_by_role("slider", name=name).press(key)


def chosen(page: Page, **keys: str) -> None:
    """Moves sliders to their ends. They tell their value a fifth of a second after the key."""
    for name, key in keys.items():
        press(page, {"A": "Attention length", "tokens": "New tokens", "temperature": "Temperature"}[name], key)
    page.wait_for_timeout(300)
    settled(page)


def again(page: Page) -> None:
    """Starts, and waits for the end."""
    page.wait_for_timeout(300)
    settled(page)
    started(page)
    ended(page)


def until(page: Page, key: str, seen: Locator) -> float:
    """Seconds from a click on a button to what shows that it was heard."""
    button = page.locator(f".st-key-{key} button")
    expect(button).to_be_enabled(timeout=SLOW)
    asked = time.monotonic()
    button.click()
    expect(seen).to_be_visible(timeout=SLOW)
    return time.monotonic() - asked


def made(pair: dict[str, txlviz.Checkpoint], kind: str, A: int, count: int, sampling: Sampling, prompt: str = TEXT) -> str:
    before, _ = filler(pair["xl"], prompt, A)
    xl = kind == "xl"
    steps = stream(
        pair[kind],
        before + prompt,
        segment_length=64 if xl else A,
        memory_length=A if xl else None,
        sampling=sampling,
    )
    return pair[kind].decode([step.token for step in islice(steps, count)]).rstrip("�")


def shown(page: Page, kind: str) -> str:
    """The continuation on screen, without the prompt."""
    box = page.locator(f"section[data-model='{kind}'] .text")
    return "".join(box.locator(part).text_content() or "" for part in (".old", ".fresh"))


def chart(page: Page, key: str) -> Locator:
    return page.locator(f".st-key-txl-chart-{key}")


def unfold(page: Page, name: str) -> None:
    fold = page.locator("details").filter(has=page.locator("summary").filter(has_text=name))
    if fold.get_attribute("open") is None:
        fold.locator("summary").click()


def as_table(page: Page, key: str) -> list[list[str]]:
    found = chart(page, key)
    if not found.locator("table").is_visible():
        found.get_by_role("button", name="Table and downloads").click()
        found.get_by_role("menuitem", name="Show as a table").click()
    return [row.locator("td").all_text_contents() for row in found.locator("tbody tr").all()]


def test_both_streams_are_the_apis(speed: Page, pair: dict[str, txlviz.Checkpoint]) -> None:
    for kind in ("xl", "vanilla"):
        assert shown(speed, kind) == made(pair, kind, 64, 200, Sampling(0.8))
        assert float(speed.locator(f"section[data-model='{kind}'] .mean").get_attribute("data-value") or "nan") > 0
    expect(speed.locator(".state")).to_have_text("200 tokens of each model")
    streams = speed.locator(".st-key-token_streams")
    choose(streams, "Show as a table")
    expect(streams.locator("tbody tr")).to_have_count(200)
    rows = lines(streams)
    assert len(rows) == 201
    times = sorted(float(row[2]) for row in rows[2:])
    mean = float(speed.locator("section[data-model='xl'] .mean").get_attribute("data-value") or "nan")
    assert mean == pytest.approx(sum(times) / len(times), rel=1e-2)


def test_control_and_streams_are_visible_together(speed: Page) -> None:
    assert speed.get_by_role("button", name="Double the attention length").bounding_box()["y"] > 0  # type: ignore[index]
    for kind in ("xl", "vanilla"):
        box = speed.locator(f"section[data-model='{kind}'] .text").bounding_box()
        assert box is not None
        assert box["y"] + box["height"] <= 900


def test_nothing_is_cut_off_on_a_telephone(speed: Page) -> None:
    speed.set_viewport_size({"width": 390, "height": 844})
    for name in ("Why do the clock", "All memory lengths"):
        unfold(speed, name)
    expect(speed.locator(".js-plotly-plot")).to_have_count(6)
    main = speed.get_by_test_id("stMain")
    assert main.evaluate("main => main.scrollWidth <= main.clientWidth")
    right = speed.locator(".streams *, .st-key-sg-controls *:not(input), .marked *").evaluate_all(
        "all => Math.max(...all.map(node => node.getBoundingClientRect().right))"
    )
    assert right <= 390


def test_the_library(speed: Page) -> None:
    texts = models.recorded("wikitext2-4l", "prompts.json")["texts"]
    rows = as_table(speed, "sg_library")
    assert len(rows) == 5 * 32
    by_name = {(row[0], row[1]): row[2:] for row in rows}
    for text in texts:
        mentioned, replaced = (100 * value for value in text["chances"]["xl 256"])
        written = [float(value) for value in by_name[text["name"], "XL, M = 256"][:2]]
        assert written == pytest.approx([mentioned, replaced], rel=1e-3)
    said = speed.get_by_text("written before any was run")
    expect(said).to_contain_text("32 of 32 texts for XL (M = 256), and in 0 for vanilla")
    speed.locator(".st-key-sg_M").get_by_role("radio", name="64", exact=True).click()
    expect(said).to_contain_text("XL (M = 64)")
    speed.get_by_role("combobox", name="A text to read").click()
    speed.get_by_role("option", name="The violin").click()
    marked = speed.locator(".st-key-sg_marked")
    expect(marked.locator(".mention")).to_have_text("violin")
    expect(marked.locator(".replacement")).to_have_text("cello")
    expect(marked.locator(".answer")).to_have_text("violin")
    unfold(speed, "All memory lengths")
    expect(speed.locator("table").filter(has_text="Less likely").locator("tbody tr")).to_have_count(5)


def test_tokens_appear_as_they_are_made_and_doubling_starts_anew(speed: Page, pair: dict[str, txlviz.Checkpoint]) -> None:
    started(speed, "Double the attention length")
    lengths = set()
    while speed.locator(".streams").get_attribute("data-status") == "running":
        lengths.add(len(shown(speed, "vanilla")))
        speed.wait_for_timeout(50)
    ended(speed)
    assert len(lengths) >= 3, "the text grew before our eyes"
    expect(speed.locator(".title").filter(has_text="A = 128")).to_be_visible()
    expect(speed.get_by_role("slider", name="Attention length")).to_have_attribute("aria-valuetext", "128")
    expect(speed).to_have_url(re.compile("A=128"))
    assert shown(speed, "vanilla") == made(pair, "vanilla", 128, 200, Sampling(0.8))
    assert shown(speed, "xl") == made(pair, "xl", 128, 200, Sampling(0.8))
    expect(speed.locator("section[data-model='vanilla'] .growth")).to_contain_text("A = 64")
    expect(speed.get_by_text("trained with windows of 64")).to_be_visible()
    assert [row[0] for row in as_table(speed, "sg_tried_chart")] == ["64", "64", "128", "128"]


def test_a_text_of_the_library_as_prompt(speed: Page, pair: dict[str, txlviz.Checkpoint]) -> None:
    chosen(speed, A="Home", tokens="Home", temperature="Home")
    speed.get_by_role("combobox", name="Prompt").click()
    speed.get_by_role("option", name="The tenor").click()
    expect(speed.get_by_text("Made with other settings")).to_be_visible()
    again(speed)
    expect(speed.get_by_text("Made with other settings")).to_have_count(0)
    expect(speed.locator("section[data-model='xl'] .tail")).to_contain_text("the voice of Peter")
    assert shown(speed, "xl") == made(pair, "xl", 64, 50, Sampling(0.0), library()["The tenor"].text)


def test_how_tokens_are_drawn(speed: Page, pair: dict[str, txlviz.Checkpoint]) -> None:
    chosen(speed, A="Home", tokens="Home", temperature="Home")
    speed.get_by_role("combobox", name="Prompt").click()
    speed.get_by_role("option", name="The text above").click()
    again(speed)
    assert shown(speed, "xl") == made(pair, "xl", 64, 50, Sampling(0.0))
    press(speed, "Temperature", "End")
    speed.get_by_role("button", name="More").click()
    top_k = speed.get_by_label("Top-k", exact=True)
    top_k.fill("3")
    top_k.press("Enter")
    press(speed, "Repetition penalty", "End")
    press(speed, "Top-p", "Home")
    speed.keyboard.press("Escape")
    again(speed)
    drawn = Sampling(2.0, 3, 0.05, 2.0)
    assert shown(speed, "xl") == made(pair, "xl", 64, 50, drawn)
    assert shown(speed, "vanilla") == made(pair, "vanilla", 64, 50, drawn)
    rows = {(row[0], row[1]): row[2] for row in as_table(speed, "sg_repetition")}
    ids = [step.token for step in islice(_steps(pair, drawn), 50)]
    assert float(rows["distinct-1", "Transformer-XL"]) == pytest.approx(distinct_n(ids, 1), abs=1e-3)


def _steps(pair: dict[str, txlviz.Checkpoint], sampling: Sampling):  # type: ignore[no-untyped-def]
    before, _ = filler(pair["xl"], TEXT, 64)
    return stream(pair["xl"], before + TEXT, segment_length=64, memory_length=64, sampling=sampling)


def test_tokens_are_text(speed: Page) -> None:
    text = "<b>bold</b> <img src=x onerror=alert(1)> **x** $y$"
    chosen(speed, A="Home", tokens="Home")
    speed.get_by_role("textbox", name="Text").fill(text)
    speed.get_by_role("textbox", name="Text").press("Control+Enter")
    again(speed)
    expect(speed.locator("section[data-model='xl'] .tail")).to_have_text(text)
    assert speed.locator(".streams img, .streams .text b").count() == 0


def test_leaving_coming_back_and_stopping_within_a_second_at_the_longest_attention(speed: Page) -> None:
    chosen(speed, A="End", tokens="End")
    expect(speed.get_by_role("button", name="Double the attention length")).to_be_disabled()
    started(speed)
    expect(speed.locator(".streams[data-status='running'] .title")).to_contain_text("A = 2,048", timeout=SLOW)
    speed.get_by_role("link", name="Start", exact=True).click()
    expect(speed.get_by_role("heading", name=re.compile("name"))).to_be_visible(timeout=SLOW)
    expect(speed.locator(".streams")).to_have_count(0)
    speed.get_by_role("link", name="Speed and generation").click()
    expect(speed.locator(".streams .state")).to_contain_text("of 500 tokens", timeout=SLOW)
    expect(speed.locator("section[data-model='vanilla'] .last")).not_to_have_text("last –", timeout=SLOW)
    took = until(speed, "sg_stop", speed.locator(".streams[data-status='stopped']"))
    ended(speed, "stopped")
    kept = shown(speed, "vanilla")
    expect(speed.locator(".state")).to_contain_text("of 500 tokens")
    speed.wait_for_timeout(600)
    assert shown(speed, "vanilla") == kept
    assert took < within(1)


def test_measuring_can_be_cancelled_and_what_was_measured_stays(speed: Page) -> None:
    expect(speed.get_by_text("Recorded on one thread")).to_be_visible()
    speed.get_by_role("button", name="Measure on this machine").click()
    expect(speed.get_by_text(re.compile(r"Measuring: attention length .* \([2-9] of 9 done\)"))).to_be_visible(timeout=SLOW)
    assert until(speed, "sg_cancel", speed.get_by_text(re.compile("^Recorded on .* Cancelled"))) < within(1)
    expect(speed.get_by_text(re.compile(r"Cancelled: the \d lengths measured by then"))).to_be_visible()
    rows = as_table(speed, "sg_time")
    assert {row[2] for row in rows} == {"recorded", "now"}
    assert 4 <= sum(row[2] == "now" for row in rows) < 18


def test_measuring_to_the_end(speed: Page) -> None:
    speed.get_by_role("radio", name="2 layers").click()
    expect(speed.get_by_text("At 3,800 tokens (2 layers)")).to_be_visible(timeout=SLOW)
    speed.get_by_role("button", name="Measure on this machine").click()
    expect(speed.get_by_text("measured just now on this machine")).to_be_visible(timeout=SLOW)
    rows = [row for row in as_table(speed, "sg_time") if row[2] == "now"]
    assert len(rows) == 18
    xl, vanilla = (next(float(row[3]) for row in rows if row[:2] == ["3800", name]) for name in ("Transformer-XL", "Vanilla"))
    said = speed.get_by_text("At 3,800 tokens").first.text_content() or ""
    times = float(re.search(r"([\d,]+) times as fast by the clock", said)[1].replace(",", ""))  # type: ignore[index]
    assert times == pytest.approx(vanilla / xl, rel=2e-3)
