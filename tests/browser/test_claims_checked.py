"""The claims' page in a real browser: guesses, all answers against the package, every control, downloads, and a telephone."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.acting import box_of
from tests.browser.figure import rows, saved
from txlviz.checkpoint import CHECKPOINTS
from txlviz.claims import CLAIMS, GUESSES, Inputs, agrees, record, said
from txlviz.ui.claims import figures
from txlviz.ui.claims.words import GROUPS, label, prose

pytestmark = pytest.mark.browser

RECORDED = record.read(CHECKPOINTS)
NAMES = {verdict: label(verdict) for verdict in GUESSES}


def opened(page: Page, app_url: str, address: str = "") -> Page:
    page.goto(f"{app_url}/claims_checked?{address}")
    expect(page.get_by_role("heading", name="Claims, checked")).to_be_visible(timeout=60_000)
    expect(page.locator(".st-key-claims_reveal")).to_be_visible()
    return page


def row(page: Page, number: int) -> Locator:
    return page.locator(f".st-key-claim-row-{number}")


def unfold(page: Page, number: int) -> None:
    """Opens the group of a claim, if it is folded."""
    group = next(name for name, numbers in GROUPS.items() if number in numbers)
    if not row(page, number).is_visible():
        page.locator(f".st-key-claims_group_{group}").get_by_text(prose(f"group_{group}")).click()
    expect(row(page, number)).to_be_visible()


def guess(page: Page, number: int, verdict: str) -> None:
    unfold(page, number)
    row(page, number).get_by_role("radio", name=NAMES[verdict], exact=True).click()
    expect(answer(page, number)).to_be_visible()


def answer(page: Page, number: int) -> Locator:
    return page.locator(f".st-key-claim-answer-{number}")


def plain(markdown: str) -> list[str]:
    """Its words without marks, cut at formulas."""
    return [piece.strip() for piece in re.sub(r"[*]", "", re.sub(r"\$[^$]*\$", "|", markdown)).split("|") if piece.strip()]


def test_guess_then_verdict_number_and_command(page: Page, app_url: str) -> None:
    opened(page, app_url)
    assert said.short(1, RECORDED[1]) not in page.locator("body").inner_text()
    first = box_of(row(page, 1))
    assert first["y"] + first["height"] < 500  # the control that matters, and room for the answer
    guess(page, 1, "holds")
    expect(row(page, 1)).to_contain_text(label(f"verdict_{CLAIMS[1].judge(RECORDED[1])}"))
    for piece in plain(said.answer(1, RECORDED[1])):
        expect(answer(page, 1)).to_contain_text(piece)
    expect(answer(page, 1)).to_contain_text("python -m txlviz claim 1")
    expect(page.get_by_text("You agreed with the measurements on 0 of 1.")).to_be_visible()
    chart = answer(page, 1).locator(".js-plotly-plot")
    expect(chart).to_be_visible()
    expect(page).to_have_url(re.compile("claim=1"))
    page.reload()  # a new session: the claim is open, the guess is asked for again
    expect(row(page, 1).get_by_role("radio", name="Holds", exact=True)).to_be_visible(timeout=60_000)
    expect(row(page, 1)).to_contain_text("Where it is made")
    expect(answer(page, 1)).to_have_count(0)


@pytest.mark.parametrize("verdict", NAMES)
def test_the_buttons(page: Page, app_url: str, verdict: str) -> None:
    opened(page, app_url)
    guess(page, 7, verdict)
    right = int(agrees(verdict, CLAIMS[7].judge(RECORDED[7])))
    expect(row(page, 7)).to_contain_text(f"You: {NAMES[verdict]}{' – agreed' if right else ''}")
    expect(page.get_by_text(f"You agreed with the measurements on {right} of 1.")).to_be_visible()
    expect(row(page, 7).get_by_role("radio")).to_have_count(0)
    page.get_by_role("button", name="Start over").click()
    expect(row(page, 7).get_by_role("radio")).to_have_count(len(GUESSES))


@pytest.fixture(scope="module")
def told(shared_page: Page, app_url: str) -> Page:
    """All answers shown, for tests that only read."""
    return opened(shared_page, app_url, "revealed=1")


@pytest.mark.parametrize("number", CLAIMS)
def test_every_claim_shows_what_the_package_says(told: Page, number: int) -> None:
    expect(row(told, number)).to_contain_text(said.sentence(number))
    row(told, number).get_by_role("button", name="Show").click()
    shown = answer(told, number)
    for piece in plain(said.answer(number, RECORDED[number])):
        expect(shown).to_contain_text(piece)
    expect(shown.locator("code").filter(has_text=re.compile(rf"claim {number}$")).first).to_be_visible()
    if figures.picture(number, RECORDED[number]) is not None:
        expect(shown.locator(".js-plotly-plot")).to_be_visible()
    if CLAIMS[number].live and CLAIMS[number].measures:
        expect(shown.get_by_text(re.compile(r"(\d+) of \1 numbers are as recorded"))).to_be_visible(timeout=60_000)
    assert told.get_by_test_id("stMain").evaluate("main => main.scrollWidth <= main.clientWidth")
    row(told, number).get_by_role("button", name="Close").click()
    expect(shown).to_have_count(0)


def test_numbers_on_screen_are_computed_by_the_package(told: Page) -> None:
    """Not only the record's: measured here and now."""
    numbers = CLAIMS[13].measure(Inputs())
    row(told, 13).get_by_role("button", name="Show").click()
    for piece in plain(said.answer(13, numbers)):
        expect(answer(told, 13)).to_contain_text(piece)
    answer(told, 13).get_by_text(prose("numbers_fold")).click()
    for span in (*numbers["first"], *numbers["last"]):
        expect(answer(told, 13).get_by_test_id("stTable")).to_contain_text(f"{span:,}")
    row(told, 13).get_by_role("button", name="Close").click()


def test_downloads_hold_the_numbers(told: Page) -> None:
    row(told, 3).get_by_role("button", name="Show").click()
    shown = answer(told, 3)
    expect(shown.locator(".js-plotly-plot")).to_be_visible()
    expect(shown.get_by_text("numbers are as recorded")).to_be_visible(timeout=60_000)
    spans = [int(one["Tokens back"]) for one in rows(shown) if one["Of"] == label("reach_64")]
    assert spans == RECORDED[3]["spans"]
    assert saved(shown, "Download PNG").startswith(b"\x89PNG")
    assert label("used_shipped") in saved(shown, "Download SVG").decode()
    row(told, 3).get_by_role("button", name="Close").click()


def test_reveal_all_and_hide_again(page: Page, app_url: str) -> None:
    opened(page, app_url)
    guess(page, 7, "holds")
    page.get_by_role("button", name="Reveal all").click()
    for number in CLAIMS:
        expect(row(page, number)).to_be_visible()
        expect(row(page, number).get_by_role("radio")).to_have_count(0)
    expect(page).to_have_url(re.compile("revealed=1"))
    page.get_by_role("button", name="Hide again").click()
    expect(row(page, 8).get_by_role("radio")).to_have_count(len(GUESSES))
    expect(row(page, 7).get_by_role("radio")).to_have_count(0)  # guessed, so it stays


def test_the_link_leads_to_the_page_that_shows_it(page: Page, app_url: str) -> None:
    opened(page, app_url, "revealed=1&claim=14")
    answer(page, 14).get_by_role("link", name="See it on Score terms").click()
    expect(page).to_have_url(re.compile("/score_terms"))
    page.go_back()
    expect(answer(page, 14)).to_be_visible(timeout=60_000)


def test_a_telephone_shows_all(page: Page, app_url: str) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    opened(page, app_url)
    for number in GROUPS["quality"]:
        for button in row(page, number).get_by_role("radio").all():
            box = box_of(button)
            assert box["x"] + box["width"] <= 390 - 16  # not under the edge of the group
    for number in (2, 14, 17):
        guess(page, number, "holds")
        if figures.picture(number, RECORDED[number]) is not None:
            plot = answer(page, number).locator(".js-plotly-plot")
            expect(plot).to_be_visible()
            right = plot.evaluate(
                "plot => Math.max(...[...plot.querySelectorAll('svg text')].map(text => text.getBoundingClientRect().right))"
            )
            assert right <= 390
        for table in answer(page, number).get_by_test_id("stTable").all():
            if table.is_visible():
                assert table.evaluate("table => table.getBoundingClientRect().right") <= 390
        assert page.get_by_test_id("stMain").evaluate("main => main.scrollWidth <= main.clientWidth")
