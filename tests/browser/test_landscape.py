"""The Landscape page in a real browser: cards, patterns, cursor, every control, files, numbers against the API, a telephone."""

from __future__ import annotations

import json
import re
from pathlib import Path
from urllib.parse import urlencode

import numpy as np
import pytest
from playwright.sync_api import Locator, Page, expect

import txlviz
from tests.browser.acting import box_of
from tests.browser.figure import choose, fits_a_telephone, rows, saved
from txlviz.analysis import landscape
from txlviz.analysis.landscape_weights import weights
from txlviz.analysis.position_part import position_part
from txlviz.models.attentions import Settings
from txlviz.ui.landscape.words import ATTENTIONS, ENCODINGS, encoding, label, name

pytestmark = pytest.mark.browser

CHECKPOINTS = Path(__file__).parents[2] / "checkpoints"
TEXT = (
    "The river rises in the northern hills, and the old mill beside it was built by Thomas <b>Calder</b>. In the spring the "
    "water is high, and the wheel turns day and night."
)
L, M, PLACE, N = 8, 8, 20, 2


@pytest.fixture(scope="module")
def pair() -> dict[str, txlviz.Checkpoint]:
    return {kind: txlviz.load(CHECKPOINTS / "wikitext2-2l" / kind) for kind in ("xl", "vanilla")}


@pytest.fixture(scope="module")
def inputs(pair: dict[str, txlviz.Checkpoint]) -> list[str]:
    return pair["xl"].tokenizer.show(pair["xl"].inputs(TEXT))


@pytest.fixture(scope="module")
def ready(shared_page: Page, app_url: str) -> Page:
    """The page, opened once for all tests that leave the text and the token as they are."""
    return opened(shared_page, app_url)


def opened(page: Page, app_url: str, **address: object) -> Page:
    settings = {"text": TEXT, "L": L, "M": M, "token": PLACE, "preset": "2 layers", **address}
    page.goto(f"{app_url}/landscape?{urlencode(settings)}")
    expect(pattern(page, "first").locator("svg image")).to_be_visible(timeout=60_000)
    expect(chart(page, "landscape_cost_chart").locator(".js-plotly-plot")).to_be_attached()
    return page


def pattern(page: Page, side: str) -> Locator:
    return page.locator(f".st-key-landscape_{side}_pattern .pattern")


def positions(page: Page) -> Locator:
    return page.locator(".st-key-landscape_position_matrix .pattern")


def chart(page: Page, key: str) -> Locator:
    return page.locator(f".st-key-txl-chart-{key}")


def card(page: Page, system: str) -> Locator:
    return page.locator(f".picker .card[data-system='{system}']")


def pick(page: Page, side: str, system: str) -> None:
    page.locator(f".st-key-landscape_{side}").get_by_role("combobox").click()
    page.get_by_role("option", name=f": {name(system)}", exact=False).filter(has_text=re.compile(f": {name(system)}$")).click()


def point(figure: Locator, n: int, query: int, key: int) -> None:
    """Moves the mouse to a cell of a pattern of n x n."""
    box = box_of(figure.locator("svg image"))
    stage = box_of(figure.locator("svg"))
    x, y = ((at + 0.5) * box["width"] / n for at in (key, query))
    figure.locator("svg").hover(position={"x": box["x"] - stage["x"] + x, "y": box["y"] - stage["y"] + y})


def mask_of(page: Page, side: str, n: int) -> np.ndarray:
    """As the figure's file has it."""
    made = np.zeros((n, n), dtype=bool)
    for row in rows(pattern(page, side)):
        made[int(row["place i"]), int(row["place j"])] = True
    return made


def test_what_is_picked_is_shown_beside_its_control(page: Page, app_url: str) -> None:
    opened(page, app_url, L=64, M=64)
    for part in (card(page, "full"), page.locator(".st-key-landscape_second"), pattern(page, "second").locator("svg image")):
        box = box_of(part)
        assert box["y"] + box["height"] <= 900
    expect(page.locator(".card")).to_have_count(len(ATTENTIONS))
    pick(page, "first", "bigbird")
    expect(pattern(page, "first").locator(".title")).to_have_text(label("title_bigbird"))
    card(page, "linformer").click()  # the other side was changed longer ago
    expect(pattern(page, "second").locator(".title")).to_have_text(label("title_linformer"))
    expect(card(page, "linformer")).to_have_attribute("aria-pressed", "true")
    expect(card(page, "linformer").locator(".side")).to_have_text("2")
    for said in ("Sees later tokens", "no mask can hide it"):
        expect(page.get_by_text(said)).to_be_visible()
    expect(page).to_have_url(re.compile("first=bigbird&.*second=linformer|second=linformer&.*first=bigbird"))
    page.reload()
    expect(pattern(page, "first").locator(".title")).to_have_text(label("title_bigbird"), timeout=60_000)
    card(page, "sliding").focus()
    page.keyboard.press("Enter")
    expect(card(page, "sliding")).to_have_attribute("aria-pressed", "true")
    expect(card(page, "sliding")).to_be_focused()


def test_the_cursor_is_seen_in_both_patterns(ready: Page, inputs: list[str]) -> None:
    page = ready
    n, first, second = len(inputs), pattern(page, "first"), pattern(page, "second")
    expect(first.locator(".facts")).to_contain_text(f"at {PLACE} sees")
    point(first, n, 30, 5)
    expect(first.locator(".facts")).to_have_text(f"‘{inputs[30]}’ at 30 doesn’t see ‘{inputs[5]}’ at 5 (25 back).")
    expect(second.locator(".facts")).to_contain_text(f"‘{inputs[30]}’ at 30 sees ‘{inputs[5]}’ at 5 (25 back): window.")
    point(first, n, 5, 30)
    expect(second.locator(".facts")).to_contain_text("(25 later)")
    page.mouse.move(0, 0)
    expect(second.locator(".facts")).to_contain_text(f"at {PLACE} sees")


def test_files_and_tables_hold_what_is_on_screen(ready: Page, inputs: list[str]) -> None:
    page = ready
    picker, n = page.locator(".picker"), len(inputs)
    settings = Settings(segment_length=L, memory_length=M)
    for row in rows(picker):
        system = next(one for one in ATTENTIONS if name(one) == row["System"])
        reach = landscape.reach(system, n, settings, N)
        assert [int(row[f"After {layer} (tokens back)"]) for layer in (1, 2)] == reach.back[:, PLACE].tolist()
    choose(picker, "Show as a table")
    expect(picker.locator("table")).to_contain_text("BigBird")
    for figure in (picker, pattern(page, "second")):
        svg = saved(figure, "Download SVG").decode()
        assert svg.startswith("<svg")
        assert "var(" not in svg
        assert saved(figure, "Download PNG").startswith(b"\x89PNG")
    choose(pattern(page, "first"), "Show as a table")
    expect(pattern(page, "first").locator("tbody tr")).to_have_count(PLACE - (PLACE // L * L - M) + 1)


def test_typed_markup_is_only_text(ready: Page, inputs: list[str]) -> None:
    page = ready
    assert page.locator("b", has_text="Calder").count() == 0
    place = next(n for n, token in enumerate(inputs) if "<" in token)
    point(pattern(page, "first"), len(inputs), place, place)
    expect(pattern(page, "first").locator(".facts")).to_contain_text(f"‘{inputs[place]}’ at {place} (0 back)")


@pytest.mark.parametrize("system", ["xl", "segments", "longformer", "bigbird"])
def test_sizes_move_the_mask_to_both_ends(ready: Page, system: str, inputs: list[str]) -> None:
    page, n = ready, len(inputs)
    pick(page, "first", system)
    expect(pattern(page, "first").locator(".title")).to_have_text(label(f"title_{system}"))
    usual = {"segment_length": L, "memory_length": M}
    for key in ("End", "Home"):  # L and M end where all other tests have them, or nearly
        slider, sizes = moved(page, system, key)
        expect(slider).to_have_attribute("aria-valuetext", str(next(iter(sizes.values()))))
        settings = Settings(**{**usual, **sizes})
        expected = landscape.mask(system, n, settings)
        said = landscape.scores_computed(system, n, settings)
        expect(page.locator(".st-key-landscape_first_facts")).to_contain_text(f"{said:,} (")
        np.testing.assert_array_equal(mask_of(page, "first", n), expected)
    if system == "xl":
        for _ in range(M):
            slider.press("ArrowRight")
        expect(slider).to_have_attribute("aria-valuetext", str(M))


def moved(page: Page, system: str, key: str) -> tuple[Locator, dict[str, int]]:
    """Moves the size of a system to one end, and says what it is there."""
    ends = {
        "segments": ("Segment length L", "segment_length", 8, 256),
        "xl": ("Memory length M", "memory_length", 0, 512),
        "longformer": (label("window"), "window", 1, 128),
        "bigbird": (label("n_random_blocks"), "n_random_blocks", 0, 4),
    }
    title, size, least, most = ends[system]
    slider = page.get_by_role("slider", name=title)
    slider.press(key)
    return slider, {size: least if key == "Home" else most}


def test_sliders_that_are_moved_fast_leave_the_sizes_alone(page: Page, app_url: str) -> None:
    opened(page, app_url, first="bigbird")
    memory = page.get_by_role("slider", name="Memory length M")
    for key in ("End", "Home", *["ArrowRight"] * M):
        memory.press(key)  # runs are overtaken before they reach the sizes
    page.wait_for_function("() => !document.querySelector('[data-testid=stStatusWidget]')")
    for size in ("window", "n_global", "block", "n_random_blocks"):
        shown = page.get_by_role("slider", name=label(size))
        expect(shown).to_have_attribute("aria-valuetext", str(getattr(Settings(), size)))


def test_a_click_and_the_keys_select_the_token(page: Page, app_url: str, inputs: list[str]) -> None:
    opened(page, app_url)
    first = pattern(page, "first")
    point(first, len(inputs), 31, 3)
    page.mouse.down()
    page.mouse.up()
    expect(page).to_have_url(re.compile("token=31"))
    expect(page.locator(".picker .title")).to_contain_text(f"‘{inputs[31]}’")
    page.mouse.move(0, 0)
    first.locator(".stage").focus()
    page.keyboard.press("ArrowUp")
    page.keyboard.press("ArrowLeft")
    expect(first.locator(".facts")).to_contain_text(f"‘{inputs[30]}’ at 30 ")
    expect(first.locator(".facts")).to_contain_text("at 30 (0 back)")
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile("token=30"))


@pytest.mark.parametrize("system", ["xl", "linformer"])
def test_weights_on_screen_are_the_modules(
    ready: Page, system: str, pair: dict[str, txlviz.Checkpoint], inputs: list[str]
) -> None:
    page = ready
    pick(page, "first", system)
    page.get_by_role("radio", name=label("weights")).click()
    for which in ("layer", "head"):
        page.locator(f".st-key-landscape_{which}").get_by_role("combobox").click()
        page.get_by_role("option", name=f"{which.capitalize()} 2").click()
    first = pattern(page, "first")
    expect(first.locator(".title")).to_have_text("Where head 2 of layer 2 looks")
    sizes = Settings(segment_length=L, memory_length=M)
    expected = weights(pair["xl"], pair["vanilla"], system, TEXT, sizes, 1)[1]
    query, key = 20, 18
    point(first, len(inputs), query, key)
    value = expected[query, key]
    shown = f"{100 * value:.2f} %" if system == "xl" else f"{value:.3f}".replace("-", "−")
    expect(first.locator(".facts")).to_contain_text(f"(2 back){':' if system == 'linformer' else ''} {shown}")
    column = label("table_weights" if system == "xl" else "table_signed")
    for row in rows(first)[::97]:
        found = expected[int(row["place i"]), int(row["place j"])]
        assert float(row[column]) == pytest.approx(found, rel=1e-3, abs=1e-7)


@pytest.mark.parametrize("system", ENCODINGS)
def test_each_position_system(ready: Page, system: str) -> None:
    page = ready
    page.get_by_role("radio", name=encoding(system), exact=True).click()
    expect(positions(page).locator(".title")).to_contain_text(f"{encoding(system)}:")
    expect(page.locator(".st-key-landscape_position_facts")).to_contain_text(label(f"paper_encoding_{system}"))
    found = position_part(txlviz.load(CHECKPOINTS / f"landscape/{system}-full"), TEXT, 0, 64)
    point(positions(page), len(found.inputs), 20, 12)
    value = found.weights[0, 20, 12] if found.scores is None else found.scores[0, 20, 12]
    shown = f"{100 * value:.2f} %" if found.scores is None else f"{value:.3f}".replace("-", "−")
    expect(positions(page).locator(".facts")).to_contain_text(f"(8 back){'' if found.scores is None else ':'} {shown}")


def test_cost_by_system_and_quantity(ready: Page) -> None:
    page = ready
    figure = chart(page, "landscape_cost_chart")
    figure.scroll_into_view_if_needed()
    record = json.loads((CHECKPOINTS / "landscape/cost.json").read_text())
    for group in ("position", "attention"):
        page.get_by_role("radio", name=label(group)).click()
        for what in ("flops", "bytes", "seconds"):
            page.get_by_role("radio", name=label(what), exact=True).click()
            expect(figure.locator(".title")).to_have_text(label(f"title_{group}_{what}"))
    (full,) = [one for one in record["attention"] if (one["name"], one["n_tokens"], one["fused"]) == ("full", 8192, False)]
    (fused,) = [one for one in record["attention"] if (one["name"], one["n_tokens"], one["fused"]) == ("full", 8192, True)]
    for one in (full, fused):
        table = rows(figure)
        (row,) = [row for row in table if (row["System"], row["Tokens n"], row["From"]) == ("Full", "8192", "measured")]
        assert float(row["Seconds"]) == pytest.approx(one["seconds"], rel=1e-4)
        page.get_by_text(label("fused"), exact=True).click()
        page.wait_for_function("() => !document.querySelector('[data-testid=stStatusWidget]')")


@pytest.mark.parametrize("address", [{}, {"first": "bigbird", "second": "linformer", "show": "weights", "what": "seconds"}])
def test_a_telephone_shows_all(page: Page, app_url: str, address: dict[str, str]) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    opened(page, app_url, **address)
    page.get_by_text("All runs, and how they were trained").click()
    expect(page.get_by_text("Table 6 of the paper", exact=False)).to_be_visible()
    fits_a_telephone(page)
    for part in page.locator(".pattern svg, .card, .katex-html").all():
        box = part.bounding_box()
        assert box is None or box["x"] + box["width"] <= 390
