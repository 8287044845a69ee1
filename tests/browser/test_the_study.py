"""The study's page in a real browser: the guess, the answer, every control, downloads, and a telephone."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

import txlviz
from tests.browser.acting import box_of
from tests.browser.figure import fits_a_telephone, rows, saved

pytestmark = pytest.mark.browser

ROOT = Path(__file__).parents[2] / "checkpoints"


@pytest.fixture(scope="module")
def pair() -> dict[str, txlviz.Checkpoint]:
    return {kind: txlviz.load(ROOT / "wikitext2-4l" / kind) for kind in ("xl", "vanilla")}


def score(pair: dict[str, txlviz.Checkpoint], kind: str, split: str = "valid", name: str = "token_perplexity") -> float:
    return float(pair[kind].card["scores"][split][name])


def record() -> dict[str, object]:
    found: dict[str, object] = json.loads((ROOT / "wikitext2-4l/study.json").read_text())
    return found


@pytest.fixture(scope="module")
def answered(shared_page: Page, app_url: str) -> Page:
    """The page with the answer shown, for all tests that only read it."""
    return opened(shared_page, app_url, "revealed=1")


def opened(page: Page, app_url: str, address: str = "") -> Page:
    page.goto(f"{app_url}/the_study?{address}")
    expect(chart(page, "study_bars").locator(".js-plotly-plot")).to_be_visible(timeout=60_000)
    return page


def chart(page: Page, key: str) -> Locator:
    return page.locator(f".st-key-txl-chart-{key}")


def test_guess_then_reveal(page: Page, app_url: str, pair: dict[str, txlviz.Checkpoint]) -> None:
    opened(page, app_url)
    bars, answer = chart(page, "study_bars"), f"{score(pair, 'xl'):.4g}"
    expect(bars).to_contain_text(f"{score(pair, 'vanilla'):.4g}")
    assert answer not in page.locator("body").inner_text()
    for part in (page.get_by_role("button", name="Reveal"), chart(page, "study_bars").locator(".js-plotly-plot")):
        box = box_of(part)
        assert box["y"] + box["height"] <= 900
    slider = page.get_by_role("slider", name="The Transformer-XL's perplexity per token is lower by")
    for key, shown in (("End", "60 %"), ("Home", "-20 %")):
        slider.press(key)
        expect(page.locator(".st-key-study_percent")).to_contain_text(shown)
        expect(bars).to_contain_text("your guess")
    page.get_by_role("button", name="Reveal").click()
    expect(bars).to_contain_text(answer)
    lower = 100 * (1 - score(pair, "xl") / score(pair, "vanilla"))
    expect(page.get_by_text("You guessed 20 % higher")).to_contain_text(f"{lower:.1f} % lower")
    page.get_by_role("button", name="Guess again").click()
    expect(page.get_by_role("button", name="Reveal")).to_be_visible()
    expect(bars).not_to_contain_text(answer)


def test_measures_and_splits(answered: Page, pair: dict[str, txlviz.Checkpoint]) -> None:
    bars = chart(answered, "study_bars")
    for split, shown in (("Test", "test"), ("Validation", "valid")):
        answered.get_by_role("radio", name=split, exact=True).click()
        for title, name in (
            ("Per word", "word_perplexity"),
            ("Bits per byte", "bits_per_byte"),
            ("Per token", "token_perplexity"),
        ):
            answered.get_by_role("radio", name=title, exact=True).click()
            for kind in ("xl", "vanilla"):
                expect(bars).to_contain_text(f"{score(pair, kind, shown, name):.4g}")


def test_curves_against_tokens_and_time(answered: Page) -> None:
    curves = chart(answered, "study_curves")
    curves.scroll_into_view_if_needed()
    expect(curves).to_contain_text("Tokens read (millions)")
    expect(curves).to_contain_text("lower at 25 of the vanilla model's 25 points")
    answered.get_by_role("radio", name="Seconds", exact=True).click()
    expect(curves).to_contain_text("Seconds of one thread")
    expect(curves).to_contain_text("At equal time")


def test_downloads_hold_the_recorded_numbers(answered: Page) -> None:
    gains = chart(answered, "study_returns")
    gains.scroll_into_view_if_needed()
    classes = record()["recurrences"]["classes"]  # type: ignore[index]
    assert [float(row["Gain from memory (nats)"]) for row in rows(gains) if row["M"] == "256"] == pytest.approx(
        [one["gain"]["256"]["mean"] for one in classes], rel=1e-4
    )
    assert saved(gains, "Download PNG").startswith(b"\x89PNG")
    assert "never before" in saved(gains, "Download SVG").decode()


def test_the_texts_are_the_models(answered: Page, pair: dict[str, txlviz.Checkpoint]) -> None:
    answered.get_by_text("200 tokens from each").click()
    found = record()["texts"]
    sampling = txlviz.Sampling(**found["sampling"])  # type: ignore[index]
    for kind in ("xl", "vanilla"):
        text = txlviz.generate(pair[kind], found["prompt"], 30, sampling=sampling, seed=found["seed"])  # type: ignore[index]
        first = next(line for line in text.strip().splitlines() if line)
        expect(answered.get_by_text(first[:60])).to_be_visible()


def test_layers_change_the_runs(page: Page, app_url: str) -> None:
    opened(page, app_url, "revealed=1")
    page.locator(".st-key-study_layers").get_by_role("radio", name="2 layers").click()
    two = json.loads((ROOT / "wikitext2-2l/xl/card.json").read_text())["scores"]["valid"]["token_perplexity"]
    expect(chart(page, "study_bars")).to_contain_text(f"{two:.4g}")
    expect(page).to_have_url(re.compile("preset=2"))
    page.reload()
    expect(chart(page, "study_bars")).to_contain_text(f"{two:.4g}", timeout=60_000)


@pytest.mark.parametrize("address", ["guess=60", "revealed=1&guess=60"])
def test_a_telephone_shows_all(page: Page, app_url: str, address: str) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    opened(page, app_url, address)
    if "revealed" in address:
        for fold in ("How tokens were sorted; losses and frequencies", "200 tokens from each"):
            page.get_by_text(fold).click()
        expect(chart(page, "study_returns").locator(".js-plotly-plot")).to_be_visible()
    page.get_by_text("Budget, settings, commands").click()
    expect(page.get_by_text("Learning rate at its top")).to_be_visible()
    fits_a_telephone(page)
