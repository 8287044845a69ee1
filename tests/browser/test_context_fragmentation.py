"""The Context fragmentation page in a real browser: what is on the screen against what the Python API says."""

from __future__ import annotations

import re
import urllib.parse
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Locator, Page, expect

import txlviz
from tests.browser.acting import box_of, move
from tests.browser.figure import rows
from txlviz.analysis.cuts import losses_by_cut
from txlviz.analysis.seen import seen

pytestmark = pytest.mark.browser

ROOT = Path(__file__).parents[2]
PRESET = ROOT / "checkpoints/wikitext2-4l"
TEXT = (
    "The river rises in the northern hills, and the old mill beside it was built by Thomas Calder. In the spring the water is "
    "high, and the wheel turns day and night. The mill was later sold by Thomas Calder to his brother."
)


@pytest.fixture(scope="module")
def pair() -> dict[str, txlviz.Checkpoint]:
    return {kind: txlviz.load(PRESET / kind) for kind in ("xl", "vanilla")}


def table(pair: dict[str, txlviz.Checkpoint], L: int, M: int) -> dict[str, np.ndarray]:
    return {kind: losses_by_cut(source, TEXT, L, M if kind == "xl" else 0) for kind, source in pair.items()}


@pytest.fixture
def opened(page: Page, app_url: str) -> Page:
    """The page with L = 8 and M = 4, all cuts filled in."""
    return open_page(page, app_url)


def open_page(page: Page, app_url: str, **more: int) -> Page:
    page.goto(f"{app_url}/context_fragmentation?" + urllib.parse.urlencode({"text": TEXT, "L": 8, "M": 4, "token": 30, **more}))
    expect(page.get_by_text("All 8 cuts:")).to_be_visible(timeout=90_000)
    expect(token(page, 30)).to_be_visible(timeout=60_000)
    expect(points(page, "one_token").first).to_be_visible(timeout=60_000)
    return page


def token(page: Page, place: int) -> Locator:
    return page.locator(f".st-key-cut_strip [data-place='{place}']")


def points(page: Page, chart: str) -> Locator:
    return page.locator(f".st-key-txl-chart-{chart} .scatterlayer .point")


def expect_losses(page: Page, losses: dict[str, np.ndarray], cut: int, place: int) -> None:
    nats = f"Transformer-XL {losses['xl'][cut, place - 1]:.2f} nats, Vanilla {losses['vanilla'][cut, place - 1]:.2f} nats"
    expect(token(page, place)).to_have_attribute("aria-label", re.compile(rf", place {place}, .*{re.escape(nats)}$"))


def test_the_cut_moves_and_the_tokens_stay(opened: Page, pair: dict[str, txlviz.Checkpoint]) -> None:
    losses = table(pair, 8, 4)
    vanilla, xl = (np.ptp(losses[kind][:, 8:], axis=0).mean() for kind in ("vanilla", "xl"))
    said = opened.locator(".stMarkdown", has_text="All 8 cuts:").last
    expect(said).to_contain_text(f"{vanilla:.2f} nats (vanilla) and {xl:.2f} (Transformer-XL)")
    for part in (opened.get_by_role("slider", name="Cut: inputs"), token(opened, 40)):  # the control and its figure
        box = box_of(part)
        assert 0 < box["y"] < 900 - box["height"]

    expect_losses(opened, losses, 0, 30)
    before = token(opened, 40).bounding_box()
    move(opened, "Cut: inputs", "ArrowRight", "ArrowRight", "ArrowRight")
    for place in (4, 12, 30):
        expect_losses(opened, losses, 3, place)
    cuts = opened.locator(".st-key-cut_strip .t.cut")
    places = [int(one.get_attribute("data-place") or -1) for one in cuts.all()]
    assert places == list(range(3, losses["xl"].shape[1], 8))
    assert token(opened, 40).bounding_box() == before
    share = 100 * (losses["xl"][3] > losses["vanilla"][3]).mean()
    expect(opened.locator(".stMarkdown", has_text="This cut:").last).to_contain_text(f"more surprised at {share:.0f} %")
    expect(opened).to_have_url(re.compile(r"[?&]cut=3\b"))
    move(opened, "Cut: inputs", "End")
    expect_losses(opened, losses, 7, 30)
    move(opened, "Cut: inputs", "Home")
    expect_losses(opened, losses, 0, 30)
    expect(opened).not_to_have_url(re.compile("cut="))

    token(opened, 21).click()
    chart = opened.locator(".st-key-txl-chart-one_token")
    expect(chart).to_contain_text("at place 21, at every position")
    expect(points(opened, "one_token")).to_have_count(18)  # 8 of each model, and one of each for the cut that is set
    found = rows(chart)
    assert len(found) == 8
    for row in found:
        cut = int(row["Cut"])
        assert int(row["Position in the segment"]) == (20 - cut) % 8
        assert float(row["Vanilla (nats)"]) == pytest.approx(losses["vanilla"][cut, 20], abs=1e-3)


def test_keys_pressed_while_the_other_cuts_are_filled_in_all_count(page: Page, app_url: str) -> None:
    page.goto(f"{app_url}/context_fragmentation?" + urllib.parse.urlencode({"L": 256, "M": 40}))
    expect(page.get_by_test_id("stProgress")).to_contain_text("through all 256 places")
    slider = page.get_by_role("slider", name="Cut: inputs")
    for _ in range(6):
        slider.press("ArrowRight")
        page.wait_for_timeout(150)  # as a person would, with answers in between
    expect(page).to_have_url(re.compile(r"[?&]cut=6\b"))
    expect(page.locator(".st-key-cut_strip .t.cut").first).to_have_attribute("data-place", "6")


def test_lengths_at_both_ends(opened: Page, pair: dict[str, txlviz.Checkpoint]) -> None:
    for key, M in (("Home", 0), ("End", 512)):
        move(opened, "Memory length M", key)
        expect_losses(opened, table(pair, 8, M), 0, 30)
    move(opened, "Segment length L", "End")
    expect(opened.get_by_text("one segment, where there is no memory")).to_be_visible()
    expect_losses(opened, table(pair, 256, 512), 0, 30)
    move(opened, "Segment length L", "Home")
    expect(opened.get_by_text("All 8 cuts:")).to_be_visible(timeout=60_000)
    expect_losses(opened, table(pair, 8, 512), 0, 30)


def test_masks_and_points_of_this_machine(opened: Page) -> None:
    chart = opened.locator(".st-key-txl-chart-seen_window")
    expect(chart).to_contain_text(f"{seen(8, 4, stride=1).context.mean():.1f} inputs on average")
    opened.get_by_text("This text, L = 8").click()
    n = opened.locator(".st-key-cut_strip .t").count() - 1
    expect(chart).to_contain_text(f"{seen(n, 8, stride=1).pairs_per_token:.1f} pairs a token")
    xl = seen(n, 8, 4, n_layers=4, recurrent=True)
    expect(opened.locator(".st-key-txl-chart-seen_xl")).to_contain_text(f"M = 4: {xl.context.mean():.1f} rows")

    expect(opened.get_by_text("points recorded on")).to_be_visible()
    opened.get_by_role("button", name="Measure on this machine").click()
    expect(opened.get_by_text("points measured just now on this machine, with L = 8, M = 4")).to_be_visible(timeout=120_000)
    expect(points(opened, "bill_seconds")).to_have_count(24)


def test_nothing_is_cut_off_on_a_telephone(page: Page, app_url: str) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    open_page(page, app_url, cut=5)
    expect(points(page, "bill_seconds").first).to_be_visible(timeout=60_000)
    assert page.get_by_test_id("stMain").evaluate("main => main.scrollWidth <= main.clientWidth")
    # Inputs of sliders are hidden; what a chart hides behind its own edge isn't seen either; the menu scrolls sideways.
    wide = """() => [...document.querySelectorAll('.stMain *')].filter((e) => {
      const box = e.getBoundingClientRect();
      const seen = box.width > 1 && box.height > 1 && e.tagName !== 'INPUT' && !e.closest('defs, .st-key-txl-menu');
      return seen && box.right > window.innerWidth + 1;
    }).map((e) => `${e.tagName} ${e.getAttribute('class')}`)"""
    assert page.evaluate(wide) == []
