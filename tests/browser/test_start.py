"""The Start page in a real browser: what is on the screen against what the Python API says."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

import txlviz
from tests.browser.acting import box_of, move
from tests.browser.figure import choose, lines, saved
from txlviz.analysis import story_file
from txlviz.ui.story_view import percent

pytestmark = pytest.mark.browser

ROOT = Path(__file__).parents[2]
PRESET = ROOT / "checkpoints/wikitext2-4l"
LEAST_NATS = 0.05  # an arc of less isn't drawn
TEXT = (
    "The river rises in the northern hills, and the old mill beside it was built by Thomas Calder. In the spring the water is "
    "high, and the wheel turns day and night. In the autumn the meadows are dry, and the sheep come down from the hills to "
    "drink. The mill was later sold by Thomas Calder to his brother, who lived in the town."
)


@pytest.fixture(scope="module")
def xl() -> txlviz.Checkpoint:
    return txlviz.load(PRESET / "xl")


@pytest.fixture(scope="module")
def vanilla() -> txlviz.Checkpoint:
    return txlviz.load(PRESET / "vanilla")


@pytest.fixture
def start(page: Page, app_url: str) -> Page:
    """The page, complete."""
    page.goto(app_url)
    expect(page.locator(".guesses li").first).to_be_visible(timeout=60_000)
    return page


def own(page: Page) -> Locator:
    """The strip of the text that was typed."""
    return page.locator(".st-key-own_strip")


def type_text(page: Page, text: str, last: str) -> None:
    """Types, and waits until the strip ends with the token ``last``."""
    box = page.get_by_role("textbox", name="Text")
    box.fill(text)
    box.press("Control+Enter")
    expect(own(page).locator(".t").last).to_have_attribute("aria-label", last)


def label(run: txlviz.Trace, other: txlviz.Trace, place: int) -> str:
    """How the strip names a token."""
    nats = f"Transformer-XL {run.losses[place - 1]:.2f} nats, Vanilla {other.losses[place - 1]:.2f} nats"
    return f"{run.inputs[place]}, place {place}, {nats}"


def test_the_story_follows_the_memory(start: Page) -> None:
    story = story_file.read(PRESET / "start.json").story
    strip = start.locator(".st-key-story_strip")
    for memory in (0, 256, 16):
        start.get_by_role("radio", name=str(memory), exact=True).click()
        reading = story.xl[memory]
        expect(start.locator(".st-key-txl-odds-xl")).to_contain_text(percent(reading.probability))
        place = story.mentions[-1][0]
        expect(strip.locator(f"[data-place='{place}']")).to_have_attribute(
            "aria-label",
            f"{story.inputs[place]}, place {place}, Transformer-XL {reading.losses[place - 1]:.2f} nats, "
            f"Vanilla {story.vanilla.losses[place - 1]:.2f} nats",
        )
        drawn = [change for change in reading.changes if abs(change) >= LEAST_NATS]
        expect(strip.locator("path")).to_have_count(len(drawn))
        for path, change in zip(strip.locator("path").all(), drawn, strict=True):
            assert float(path.get_attribute("data-nats") or "nan") == change
    expect(start.locator(".st-key-txl-odds-vanilla")).to_contain_text(percent(story.vanilla.probability))
    assert all(change == 0 for change in story.xl[0].changes)


def test_a_typed_text_shows_the_models_own_numbers(start: Page, xl: txlviz.Checkpoint, vanilla: txlviz.Checkpoint) -> None:
    M = xl.config.mem_len
    run, other = txlviz.trace(xl, TEXT, 64, M, record=[]), txlviz.trace(vanilla, TEXT, 64, record=[])
    end = len(run.tokens)
    type_text(start, TEXT, label(run, other, end))
    expect(own(start).locator(".seg")).to_have_count(len(run.segments))
    for place in (1, 30, end - 1):
        expect(own(start).locator(f"[data-place='{place}']")).to_have_attribute("aria-label", label(run, other, place))
    best = txlviz.next_tokens(xl, TEXT, 64, M, top=1)[0]
    expect(start.locator(".guesses .xl li").first).to_have_text(f"{best.token}{100 * best.probability:.1f} %")

    move(start, "Segment length L", *["ArrowLeft"] * 4)
    run, other = txlviz.trace(xl, TEXT, 60, M, record=[]), txlviz.trace(vanilla, TEXT, 60, record=[])
    expect(own(start).locator("[data-place='66']")).to_have_attribute("aria-label", label(run, other, 66))

    move(start, "Memory length M", "Home")
    run = txlviz.trace(xl, TEXT, 60, 0, record=[])
    expect(own(start).locator("[data-place='66']")).to_have_attribute("aria-label", label(run, other, 66))
    expect(own(start).locator(".key-memory")).to_have_count(0)


def test_a_token_is_picked_and_kept_in_the_address(start: Page, xl: txlviz.Checkpoint, app_url: str) -> None:
    text = "The king said that the queen would come to the castle in the spring."
    run = txlviz.trace(xl, text, 64, xl.config.mem_len, record=[])
    expect(own(start).locator(".picked")).to_contain_text("No token is selected")
    box = start.get_by_role("textbox", name="Text")
    box.fill(text)
    box.press("Control+Enter")
    expect(own(start).locator(".t")).to_have_count(len(run.inputs))
    own(start).locator("[data-place='5']").click()
    facts = own(start).locator(".picked [data-model=xl] .value")
    expect(facts).to_contain_text(f"{run.losses[4]:.2f} nats")
    expect(start).to_have_url(re.compile(r"token=5\b"))

    own(start).locator("[data-place='5']").press("ArrowRight")
    own(start).locator("[data-place='6']").press("Enter")
    expect(facts).to_contain_text(f"{run.losses[5]:.2f} nats")
    expect(start).to_have_url(re.compile(r"token=6\b"))

    address = start.url
    start.goto("about:blank")
    start.goto(address)  # a new session
    expect(facts).to_contain_text(f"{run.losses[5]:.2f} nats")
    expect(box).to_have_value(text)
    own(start).locator("[data-place='6']").click()
    expect(own(start).locator(".picked")).to_contain_text("No token is selected")


@pytest.mark.parametrize(
    "text",
    [
        "<b>bold</b> <script>alert(1)</script>",
        "**stars** and $x^2$ `code` [link](http://x)",
        "nul \0 bell \a <unk>",
        "سلام 你好 😀",
    ],
)
def test_a_text_appears_as_typed(start: Page, xl: txlviz.Checkpoint, text: str) -> None:
    tokens = xl.tokenizer.show(xl.encode(text))
    box = start.get_by_role("textbox", name="Text")
    box.fill(text)
    box.press("Control+Enter")
    expect(own(start).locator(".t")).to_have_count(len(tokens) + 1)
    shown = [token.removeprefix("␣") if len(token) > 1 else token for token in tokens]
    expect(own(start).locator(".t")).to_have_text(["↵", *shown])
    assert own(start).locator(".t *").count() == 0


def test_half_a_character_gets_a_sentence(start: Page) -> None:
    start.get_by_role("textbox", name="Text").evaluate(
        """box => {
          box.focus();
          Object.getOwnPropertyDescriptor(HTMLTextAreaElement.prototype, "value").set.call(box, "cut \\ud83d here");
          box.dispatchEvent(new Event("input", { bubbles: true }));
          box.blur();
        }"""
    )
    expect(start.get_by_test_id("stAlert")).to_contain_text("half a character")
    expect(own(start).locator(".segments")).to_contain_text("here")


def test_a_long_text_is_cut_with_a_sentence(start: Page) -> None:
    box = start.get_by_role("textbox", name="Text")
    box.fill("word " * 20_000)
    box.press("Control+Enter")
    expect(start.get_by_test_id("stAlert")).to_contain_text("the limit is 2,000")
    expect(own(start).locator(".t")).to_have_count(2_001)
    box.fill("  ")
    box.press("Control+Enter")
    expect(start.get_by_test_id("stAlert")).to_contain_text("empty")
    expect(box).to_have_value("  ")


def test_the_facts_can_be_taken_home(start: Page) -> None:
    story = story_file.read(PRESET / "start.json").story
    strip = start.locator(".st-key-story_strip")
    choose(strip, "Show as a table")
    expect(strip.locator(".table tbody tr")).to_have_count(len(story.inputs))
    rows = lines(strip)
    losses = [float(row[3]) for row in rows[2:]]
    assert losses == pytest.approx(story.xl[256].losses, abs=1e-4)
    assert [row[1] for row in rows[1:]] == list(story.inputs)
    drawn = ET.fromstring(saved(strip, "Download SVG"))
    assert len(drawn.findall("{http://www.w3.org/2000/svg}text")) >= len(story.inputs)
    assert saved(strip, "Download PNG").startswith(b"\x89PNG")


def test_nothing_is_cut_off_on_a_telephone(start: Page) -> None:
    start.set_viewport_size({"width": 390, "height": 844})
    expect(start.locator(".st-key-txl-controls")).to_be_visible()
    assert start.get_by_test_id("stMain").evaluate("main => main.scrollWidth <= main.clientWidth")
    controls = box_of(start.locator(".st-key-txl-controls"))
    assert controls["height"] < 844 / 2


def settings(page: Page, L: int, M: int, layers: str) -> None:
    """Waits until the shared controls, and the address, say this."""
    expect(page.get_by_test_id("stSliderThumbValue")).to_have_text([str(L), str(M)])
    expect(page.locator(".st-key-preset [aria-checked=true]")).to_have_text(layers)
    expect(page).to_have_url(re.compile(rf"(?=.*\bL={L}\b)(?=.*\bM={M}\b)(?=.*preset={layers[0]}\+layers)"))


@pytest.mark.parametrize(("first", "second"), [("", "Score terms"), ("score_terms", "Start")])
def test_a_shared_link_outlives_a_switch_of_pages_and_a_reload(page: Page, app_url: str, first: str, second: str) -> None:
    page.goto(f"{app_url}/{first}?L=32&M=100&preset=2+layers")
    settings(page, 32, 100, "2 layers")
    page.locator(".st-key-txl-menu").get_by_role("link", name=second).click()
    expect(page).to_have_url(re.compile(r":\d+/\?" if first else r"/score_terms\?"))
    settings(page, 32, 100, "2 layers")
    page.reload()
    settings(page, 32, 100, "2 layers")


def test_back_leads_back(start: Page) -> None:
    move(start, "Segment length L", "ArrowLeft")
    expect(start).to_have_url(re.compile(r"L=63\b"))
    start.locator(".st-key-txl-menu").get_by_role("link", name="Score terms").click()
    expect(start).to_have_url(re.compile(r"/score_terms\?L=63\b"))
    expect(start.get_by_test_id("stSliderThumbValue").first).to_have_text("63")
    start.go_back()
    expect(start).to_have_url(re.compile(r"/\?L=63\b"))
    expect(start.get_by_text("Now your own words")).to_be_visible()
    start.go_back()
    expect(start.get_by_test_id("stSliderThumbValue").first).to_have_text("64")
    expect(start).not_to_have_url(re.compile("L="))
