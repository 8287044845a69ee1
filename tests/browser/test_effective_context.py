"""The Effective context page in a real browser: every control, sliders at both ends, numbers against the Python API."""

from __future__ import annotations

import os
import re
import time
from pathlib import Path
from urllib.parse import urlencode, urlsplit

import numpy as np
import pytest
from playwright.sync_api import Page, expect

import txlviz
from tests.browser.acting import box_of, move, settled
from tests.browser.figure import rows
from txlviz.analysis import context_record
from txlviz.analysis.distant_context import distant_context, plan
from txlviz.analysis.sabotage import replacement, sabotage
from txlviz.ui.effective_context import folds
from txlviz.ui.effective_context.distant import other_text

pytestmark = pytest.mark.browser

PRESET = Path(__file__).parents[2] / "checkpoints/wikitext2-4l"
TEXT = "The river rises in the hills and flows past the old mill, which Thomas Calder built. The river is wide."
L, M = 8, 16


@pytest.fixture(scope="module")
def pair() -> dict[str, txlviz.Checkpoint]:
    return {kind: txlviz.load(PRESET / kind) for kind in ("xl", "vanilla")}


@pytest.fixture
def context(page: Page, app_url: str) -> Page:
    """The page with a short text, complete."""
    page.goto(f"{app_url}/effective_context?{urlencode({'text': TEXT, 'L': L, 'M': M})}")
    expect(page.locator(".js-plotly-plot")).to_have_count(3, timeout=60_000)
    expect(page.get_by_text("exactly 0 at all of them")).to_be_visible()
    return page


def test_the_reach_follows_the_sliders_to_both_ends(context: Page) -> None:
    for keys, sizes in ((("Home", "Home"), (8, 0)), (("End", "End"), (256, 512)), (("Home", "End"), (8, 512))):
        move(context, "Segment length L", keys[0])
        move(context, "Memory length M", keys[1])
        top = txlviz.memory_span(4, *sizes)[-1].max() + 1
        expect(context.get_by_text(f"the top layer could use {top:,} tokens")).to_be_visible()
        reach = rows(context.locator(".st-key-txl-chart-context"))[3]
        assert float(reach["Reach of the last position (tokens)"]) == top
        title = "Reach is not use" if top >= 192 else "reach less far than the loss could still fall"
        expect(context.locator(".st-key-txl-chart-context .title")).to_contain_text(title)


def test_the_other_layers(context: Page) -> None:
    context.get_by_role("radio", name="2 layers").or_(context.get_by_role("button", name="2 layers")).first.click()
    expect(context.locator(".st-key-txl-chart-context").get_by_text("XL, layer 3")).to_have_count(0)
    found = rows(context.locator(".st-key-txl-chart-context"))
    assert len([row for row in found if row["What"].startswith("reach")]) == 3


def test_distant_context_in_each_way(context: Page, pair: dict[str, txlviz.Checkpoint]) -> None:
    for way in ("shuffled", "dropped", "replaced"):
        name = {"replaced": "replaced by other text"}.get(way, way)
        context.locator(".st-key-way").get_by_text(name, exact=True).click()
        targets, distances = plan(len(pair["xl"].encode(TEXT)))
        asked = {"way": way, "targets": targets, "distances": distances, "other": other_text(TEXT)}
        found = {kind: distant_context(pair[kind], TEXT, L, M if kind == "xl" else 0, **asked) for kind in pair}
        at = max(n for n, d in enumerate(distances) if d <= L)
        xl, vanilla = (one.change.mean(axis=1) for one in (found["xl"], found["vanilla"]))
        said = f"At d = {distances[at]}: Transformer-XL {xl[at]:+.2f} nats, vanilla {vanilla[at]:+.2f}"
        expect(context.get_by_text(said)).to_be_visible()
        table = rows(context.locator(".st-key-txl-chart-distant"))
        np.testing.assert_allclose([float(row["Rise, Transformer-XL, mean (nats)"]) for row in table], xl, atol=1e-4)
        np.testing.assert_allclose([float(row["Rise, Vanilla, mean (nats)"]) for row in table], vanilla, atol=1e-4)


def test_a_click_swaps_a_token(context: Page, pair: dict[str, txlviz.Checkpoint]) -> None:
    strip = context.locator(".st-key-swap_strip, .strip").last
    for place, word in ((4, "the"), (9, "river")):
        strip.locator(f'.t[data-place="{place}"]').click()
        if word != "the":
            expect(context.locator(".st-key-txl-chart-arcs .title")).to_contain_text(f"at {place} is worth")
            settled(context)
            context.get_by_role("combobox", name="Put in its place").click()
            context.get_by_role("option", name=word, exact=True).click()  # not a token of the strip
        token = replacement(pair["xl"], TEXT, place, word)
        found = {k: sabotage(pair[k], TEXT, L, M if k == "xl" else 0, place=place, token=token) for k in pair}
        later = len(found["xl"].after) - 1 - place
        said = f"Transformer-XL: {found['xl'].changed.sum()} of {later} later predictions change"
        expect(context.get_by_text(said)).to_be_visible()
        reader = np.arange(len(found["xl"].after)) - 1
        expect(context.get_by_text(f"exactly 0 of {(reader // L > place // L).sum()} change, bit for bit")).to_be_visible()
        much = np.flatnonzero(np.abs(np.nan_to_num(found["xl"].change)) >= 0.05)
        expect(strip.locator(".t.mark")).to_have_count(len(much))
        arcs = sum(int((np.abs(np.nan_to_num(one.change)) >= 0.05).sum()) for one in found.values())
        expect(context.locator(".st-key-txl-chart-arcs .js-plotly-plot path.js-line")).to_have_count(arcs)
        assert f"swap={place}" in context.url


def test_one_token_is_always_swapped(context: Page) -> None:
    token = context.locator('.st-key-swap_strip .t[data-place="9"]')
    token.click()
    title = context.locator(".st-key-txl-chart-arcs .title")
    expect(title).to_contain_text("at 9 is worth")
    for key in ("Enter", " "):
        token.press(key)  # picks it again
    context.locator('.st-key-swap_strip .t[data-place="10"]').press("Enter")  # an answer to what came before has come by then
    expect(title).to_contain_text("at 10 is worth")
    token.press(" ")
    expect(title).to_contain_text("at 9 is worth")
    expect(token).to_have_attribute("aria-selected", "true")
    token.press("Enter")
    expect(token).to_have_attribute("aria-selected", "true")
    assert "swap=9" in context.url


def test_a_word_of_ones_own(context: Page, pair: dict[str, txlviz.Checkpoint]) -> None:
    box = context.get_by_role("combobox", name="Put in its place")
    box.click()
    box.fill("<i>water")
    box.press("Enter")
    title = context.locator(".st-key-txl-chart-arcs .title")
    expect(title).to_contain_text("swapped for “<")
    assert context.locator(".st-key-txl-chart-arcs i").count() == 0


def test_the_length_of_the_group_and_the_papers_table(context: Page, pair: dict[str, txlviz.Checkpoint]) -> None:
    context.locator("summary").filter(has_text="Relative effective context length").click()
    hashes = {kind: one.card["sha256"]["model.safetensors"] for kind, one in pair.items()}
    record = context_record.read(PRESET, hashes)
    expect(context.locator("table td").first).to_be_visible()
    cells = context.locator("table td").all_text_contents()
    assert [cell.strip() for cell in cells[:4]] == ["Transformer-XL, 151M", "900", "800", "700"]
    for share, step, first in (("0.1", "Home", "Home"), ("1.0", "End", "End"), ("0.5", "End", "Home")):
        context.locator(".st-key-recl_r").get_by_text(share, exact=True).click()
        move(context, "Step Δ", step)
        move(context, "First c", first)
        sizes = {"Home": (folds.STEPS[0], folds.FIRSTS[0]), "End": (folds.STEPS[-1], folds.FIRSTS[-1])}
        _, found = folds.lengths(record, float(share), sizes[step][0], sizes[first][1])
        for kind, name in (("xl", "Transformer-XL"), ("vanilla", "Vanilla")):
            said = f"{name}: {'≥ ' if found[kind].at_least else ''}{found[kind].length} tokens. Its last step"
            expect(context.get_by_text(said)).to_be_visible()


def process_of(app_url: str) -> int:
    port = str(urlsplit(app_url).port)
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = path.read_bytes().decode().split("\0")
        except OSError:
            continue
        if "--server.port" in words and words[words.index("--server.port") + 1] == port:
            return int(path.parent.name)
    raise AssertionError("the app's process isn't there")


def seconds_used(process: int) -> float:
    fields = Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@pytest.fixture
def working(page: Page, app_url: str) -> Page:
    """The page in the middle of the work on a text of about a thousand tokens."""
    page.goto(f"{app_url}/effective_context?{urlencode({'text': TEXT, 'L': L, 'M': M})}")
    expect(page.get_by_text("exactly 0 at all of them")).to_be_visible(timeout=60_000)
    move(page, "Segment length L", "End")
    expect(page.get_by_text("the top layer could use")).to_be_visible()
    # Each test has a text of its own: results are remembered.
    words = f"The river number {time.monotonic_ns()} is wide. " + "It rises in the hills and flows past the old mill. " * 70
    page.get_by_role("textbox", name="Text").fill(words)
    page.get_by_role("textbox", name="Text").press("Control+Enter")
    expect(page.get_by_text(re.compile(r"Measuring: \d+ %"))).to_be_visible(timeout=60_000)
    return page


def test_cancel_stops_at_once_and_measure_goes_on(working: Page) -> None:
    best = np.inf
    for _ in range(2):  # the machine may be busy with something else
        began = time.monotonic()
        working.get_by_role("button", name="Cancel").click()
        expect(working.get_by_text("Cancelled.")).to_be_visible()
        best = min(best, time.monotonic() - began)
        working.get_by_role("button", name="Measure", exact=True).click()
        expect(working.get_by_text(re.compile(r"Measuring: \d+ %"))).to_be_visible()
        if best < 1:
            break
    working.get_by_role("button", name="Cancel").click()
    expect(working.get_by_text("Cancelled.")).to_be_visible()
    began = time.monotonic()  # a run of the script without that work: what a busy machine takes for it
    move(working, "Memory length M", "ArrowRight")
    expect(working.get_by_text(f"M = {M + 1} the top layer")).to_be_visible()
    assert best < max(1.0, 3 * (time.monotonic() - began))


def test_leaving_in_the_middle_leaves_no_work_behind(working: Page, app_url: str) -> None:
    process = process_of(app_url)
    working.get_by_role("link", name="Score terms").first.click()
    expect(working.get_by_role("heading", name="Reach is not use")).to_have_count(0)
    expect(working.get_by_role("heading", level=1)).to_be_visible()
    working.get_by_role("slider", name="Memory length M").press("Home")
    for _ in range(20):
        before = seconds_used(process)
        working.wait_for_timeout(700)
        if seconds_used(process) - before < 0.25:
            return
    pytest.fail("the server goes on working")


def test_tokens_are_text(page: Page, app_url: str) -> None:
    text = "<b>bold</b> <img src=x onerror=alert(1)> **x** $y$ %{x}"
    page.goto(f"{app_url}/effective_context?{urlencode({'text': text, 'L': L})}")
    expect(page.locator(".js-plotly-plot")).to_have_count(3, timeout=60_000)
    assert page.locator(".strip img, .strip b b, .js-plotly-plot img, .js-plotly-plot b").count() == 0


def test_nothing_is_cut_off_on_a_telephone(context: Page) -> None:
    context.set_viewport_size({"width": 390, "height": 844})
    for name in ("Relative effective context length", "How this is measured"):
        context.locator("summary").filter(has_text=name).click()
    expect(context.locator(".js-plotly-plot")).to_have_count(4)
    expect(context.get_by_text("Make it anew")).to_be_visible()
    assert context.get_by_test_id("stMain").evaluate("main => main.scrollWidth <= main.clientWidth")
    for chart in context.locator(".js-plotly-plot").all():
        box = box_of(chart)
        sides = chart.locator(".xtitle, .x2title, .ytitle, .y2title, .legendtext").evaluate_all(
            "all => all.map(node => node.getBoundingClientRect()).map(box => [box.left, box.right])"
        )
        assert all(left >= box["x"] - 1 and right <= box["x"] + box["width"] + 1 for left, right in sides), sides
