"""The Context fragmentation page, control by control, without a browser."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from streamlit.testing.v1 import AppTest

import txlviz
from tests.pages.opening import component, open_page
from txlviz.analysis.attention_cost import attention_cost
from txlviz.analysis.cuts import losses_by_cut, segment_starts
from txlviz.analysis.seen import seen
from txlviz.content import sections
from txlviz.ui import models
from txlviz.ui.fragmentation import bill

ROOT = Path(__file__).parents[2]
PAGE = "pages/context_fragmentation.py"
PRESET = "wikitext2-4l"
TEXT = "The river rises in the hills and flows past the old mill, which Thomas Calder built. The river is wide."


def opened(text: str = TEXT, L: int = 8, M: int = 16, **address: str) -> AppTest:
    return open_page(PAGE, {"text": text, "L": L, "M": M, **address})


@pytest.fixture
def page() -> AppTest:
    return opened()


def strip(at: AppTest) -> dict[str, Any]:
    (found,) = component(at, "token_strip")
    return found


def table(at: AppTest, name: str) -> list[dict[str, Any]]:
    """The facts of a chart, a mapping each row."""
    (found,) = [one for one in component(at, "chart") if one["name"].startswith(name)]
    return [dict(zip(found["heads"], row, strict=True)) for row in found["rows"]]


def said(at: AppTest) -> str:
    return "\n".join(one.value for kind in (at.markdown, at.caption, at.info, at.warning) for one in kind)


def losses(kind: models.Kind, L: int, M: int, text: str = TEXT, preset: str = PRESET) -> np.ndarray:
    return losses_by_cut(models.checkpoint(preset, kind), text, L, M if kind == "xl" else 0)


@pytest.mark.parametrize("cut", [0, 3, 7])
def test_the_cut_moves_the_strip_and_the_difference(page: AppTest, cut: int) -> None:
    page.slider(key="cut").set_value(cut).run()
    xl, vanilla = losses("xl", 8, 16)[cut], losses("vanilla", 8, 0)[cut]
    shown = strip(page)
    assert shown["steady"]
    assert shown["segments"] == segment_starts(len(xl), 8, cut)
    assert_allclose(shown["xl"][1:], xl, atol=1e-3)
    assert_allclose(shown["vanilla"][1:], vanilla, atol=1e-3)
    rows = table(page, "difference")
    assert_allclose([row["Vanilla minus Transformer-XL (nats)"] for row in rows], vanilla - xl, atol=2e-3)
    assert f"surprise {vanilla.mean():.2f} nats (vanilla) and {xl.mean():.2f} (Transformer-XL)" in said(page)
    assert f"**{100 * (xl > vanilla).mean():.0f} %** of the tokens" in said(page)
    first = cut or 8
    gap = vanilla - xl
    assert f"**{gap[:first].mean():+.2f}** in the first segment" in said(page)
    assert f"**{gap[first:].mean():+.2f}** later" in said(page)


def test_offset_0_is_the_trace_of_the_api(page: AppTest) -> None:
    run = txlviz.trace(models.checkpoint(PRESET, "xl"), TEXT, 8, 16, record=[])
    assert strip(page)["tokens"] == run.inputs
    assert_allclose(strip(page)["xl"][1:], run.losses, atol=1e-3)
    assert strip(page)["segments"] == [segment.start for segment in run.segments if segment.start < len(run.tokens)]


def test_all_cuts_are_filled_in_and_said(page: AppTest) -> None:
    xl, vanilla = losses("xl", 8, 16), losses("vanilla", 8, 0)
    spread = [np.ptp(one[:, 8:], axis=0).mean() for one in (vanilla, xl)]
    assert "**All 8 cuts:**" in said(page)
    assert f"**{spread[0]:.2f}** nats (vanilla) and **{spread[1]:.2f}** (Transformer-XL)" in said(page)
    assert "no cut matters" not in said(page)
    page.slider(key="M").set_value(512).run()
    assert "no cut matters" in said(page)


def test_the_selected_token_is_shown_at_every_position() -> None:
    at = opened(token="12", cut="5")
    xl, vanilla = losses("xl", 8, 16), losses("vanilla", 8, 0)
    rows = table(at, "token-12")
    assert [row["Position in the segment"] for row in rows] == list(range(8))
    for row in rows:
        cut = row["Cut"]
        assert (11 - cut) % 8 == row["Position in the segment"]
        assert row["Vanilla (nats)"] == pytest.approx(vanilla[cut, 11], abs=1e-3)
        assert row["Transformer-XL (nats)"] == pytest.approx(xl[cut, 11], abs=1e-3)
    assert strip(at)["selected"] == 12
    assert at.slider(key="cut").value == 5


def test_without_a_selection_it_is_the_last_token_and_the_newline_has_no_loss(page: AppTest) -> None:
    last = len(strip(page)["tokens"]) - 1
    assert len(table(page, f"token-{last}-")) == 8
    assert "given, not predicted" in said(opened(token="0"))


def test_the_cut_is_kept_in_the_address_and_within_the_segment(page: AppTest) -> None:
    page.slider(key="cut").set_value(7).run()
    assert page.query_params["cut"] == "7"
    page.slider(key="L").set_value(8).run()
    assert page.slider(key="cut").value == 7
    shorter = opened(cut="99")
    assert shorter.slider(key="cut").value == 7
    longer = opened(L=16, cut="12")
    longer.slider(key="L").set_value(8).run()
    assert longer.slider(key="cut").value == 7
    assert opened(cut="x").slider(key="cut").value == 0
    page.slider(key="cut").set_value(0).run()
    assert "cut" not in page.query_params


@pytest.mark.parametrize(("L", "M"), [(8, 0), (256, 0), (256, 512)])
def test_sliders_at_their_ends(page: AppTest, L: int, M: int) -> None:
    page.slider(key="L").set_value(L)
    page.slider(key="M").set_value(M).run()
    assert_allclose(strip(page)["xl"][1:], losses("xl", L, M)[0], atol=1e-3)
    page.slider(key="cut").set_value(L - 1).run()
    assert_allclose(strip(page)["vanilla"][1:], losses("vanilla", L, 0)[L - 1], atol=1e-3)
    text = said(page)
    assert ("one segment" in text) == (L == 256)
    assert ("no segment has a memory" in text) == (L == 8)


def test_the_other_preset(page: AppTest) -> None:
    page.button_group(key="preset").set_value("wikitext2-2l").run()
    assert_allclose(strip(page)["xl"][1:], losses("xl", 8, 16, preset="wikitext2-2l")[0], atol=1e-3)
    record = models.recorded("wikitext2-2l", "position.json")
    assert [row["Mean surprise (nats)"] for row in table(page, "loss-by-position")][:64] == record["curves"]["vanilla"]["mean"]


def test_the_recording_is_shown_with_its_numbers(page: AppTest) -> None:
    record = models.recorded(PRESET, "position.json")
    rows = table(page, "loss-by-position")
    assert len(rows) == 3 * 64
    assert {row["Tokens"] for row in rows} == {record["tokens"]}
    means = {kind: np.array(curve["mean"]) for kind, curve in record["curves"].items()}
    assert f"**{means['vanilla'][0] - means['vanilla'][-1]:.2f} nats**, the Transformer-XL (M = 256)" in said(page)
    assert "**32.5** tokens" in said(page)
    assert f"**{100 * np.mean(record['xl_loses_share']):.0f} %** of the tokens" in said(page)


def test_a_recording_of_other_weights_is_not_shown(page: AppTest, monkeypatch: pytest.MonkeyPatch) -> None:
    from txlviz.recorded import RecordError

    def refuse(*_: object) -> None:
        raise RecordError("x: it was recorded with other weights than those that are here")

    monkeypatch.setattr(models, "recorded", refuse)
    page.run()
    assert not page.exception
    assert "no recording of loss by position" in said(page)
    assert "no recorded points" in said(page)


@pytest.mark.parametrize("choice", ["eight", "own"])
def test_what_is_seen_comes_from_the_masks(page: AppTest, choice: str) -> None:
    page.button_group(key="seen").set_value(choice).run()
    n = len(strip(page)["tokens"]) - 1
    n, L, M = (8, 4, 4) if choice == "eight" else (n, 8, 16)
    ways = {"train": seen(n, L), "window": seen(n, L, stride=1), "xl": seen(n, L, M, n_layers=4, recurrent=True)}
    titles = {one["name"]: one["title"] for one in component(page, "chart")}
    for way, expected in ways.items():
        rows = table(page, f"seen-{way}")
        assert [row["Earliest input seen by one layer"] for row in rows] == expected.direct.tolist()
        assert [row["Earliest input through all layers"] for row in rows] == expected.reach.tolist()
        assert f"{expected.context.mean():.1f}" in titles[f"seen-{way}"]
        assert f"{expected.pairs_per_token:,.1f} pairs a token" in titles[f"seen-{way}"]
    assert ways["train"].context[:8].mean() == (L + 1) / 2


def test_the_bill_is_counted_for_this_text(page: AppTest) -> None:
    n, config = len(strip(page)["tokens"]) - 1, models.checkpoint(PRESET, "vanilla").config
    whole, segments, xl = (attention_cost(config, n, *lengths) for lengths in ((), (8,), (8, 16)))
    assert f"whole **{n * n:,}** scores, segments **{segments.entries:,}**, Transformer-XL **{xl.entries:,}**" in said(page)
    assert whole.entries == n * n
    rows = table(page, "attention-flops")
    for row in rows:
        lengths = {"Whole text": (), "Segments": (8,), "Transformer-XL": (8, 16)}[row["Way"]]
        assert row["FLOPs, one layer"] == pytest.approx(attention_cost(config, row["Tokens n"], *lengths).flops, rel=1e-5)
    assert {row["From"] for row in table(page, "attention-seconds")} == {"measured"}
    assert {row["From"] for row in table(page, "attention-bytes")} == {"measured", "counted"}
    assert "points recorded on one thread" in said(page)


def test_measuring_here_shows_points_of_this_machine(page: AppTest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bill, "_LENGTHS", (64, 96))
    page.button(key="measure").click().run()
    assert "measured just now on this machine, with L = 8, M = 16" in said(page)
    rows = table(page, "attention-seconds")
    assert [row["Tokens n"] for row in rows] == [64] * 4 + [96] * 4
    assert all(row["Seconds"] > 0 for row in rows)
    page.slider(key="M").set_value(3).run()
    assert "points recorded on" in said(page), "they were of another M"


@pytest.mark.parametrize(
    "text",
    [
        "a",
        "<b>bold</b><script>alert(1)</script>",
        "# head **x** [l](http://x) $x^2$",
        "مرحبا بالعالم",
        "👩‍👩‍👧 \0 {place} {token}",
    ],
)
def test_any_text_works_and_is_data(page: AppTest, text: str) -> None:
    page.text_area(key="text").set_value(text).run()
    assert strip(page)["tokens"] == txlviz.trace(models.checkpoint(PRESET, "xl"), text, 8, 0, record=[]).inputs
    assert len(text) < 3 or text not in said(page)


def test_the_page_has_at_most_250_words() -> None:
    apart = {"labels", "fold", "fold_text", "bill_fold", "bill_fold_text", "formula", "formula_note"}
    instead = {"gap_no_memory", "gap_one_segment", "newline", "position_missing", "bill_missing"}
    instead |= {"other_script", "nats_worse"}
    shown = [body for key, body in sections("context_fragmentation").items() if key not in apart | instead]
    assert sum(len(body.split()) for body in shown) <= 250


@pytest.mark.parametrize(("M", "less"), [(15, None), (64, 6)])
def test_where_the_memory_holds_the_whole_text_the_page_says_what_to_try(M: int, less: int | None) -> None:
    tokens = len(models.checkpoint(PRESET, "xl").encode(TEXT))
    assert 15 < tokens <= 64
    assert tokens // 4 == 6, "a smaller one of 40 and a quarter of the text"
    shown = said(opened(M=M))
    assert (f"M = {M} holds the whole text" in shown) == (less is not None)
    assert less is None or f"try **M = {less}** too" in shown
