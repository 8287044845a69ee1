"""The Recurrence and memory page below its cone, control by control, without a browser."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

import txlviz
from tests.pages.opening import component, open_page
from txlviz.analysis.kv_cache import compare_cuts
from txlviz.analysis.memory_rows import memory_rows
from txlviz.content import sections
from txlviz.ui.recurrence.words import PAGE, size

ROOT = Path(__file__).parents[2]
PRESET = "wikitext2-4l"
TEXT = "The river rises in the hills and flows past the old mill, which Thomas Calder built. The river is wide."


@pytest.fixture(scope="module")
def xl() -> txlviz.Checkpoint:
    return txlviz.load(ROOT / "checkpoints" / PRESET / "xl")


def opened(*folds: str, text: str = TEXT, **address: str) -> AppTest:
    state = dict.fromkeys(folds, True)
    return open_page("pages/recurrence_and_memory.py", {"text": text, "L": 8, "M": 16, **address}, state)


@pytest.fixture
def page() -> AppTest:
    return opened()


def film(at: AppTest) -> dict[str, Any]:
    (shown,) = component(at, "memory_stepper")
    return shown


def facts(at: AppTest, name: str) -> dict[str, list[Any]]:
    """The table of a chart, by its heads."""
    (shown,) = [one for one in component(at, "chart") if one["name"] == name]
    return {head: [row[n] for row in shown["rows"]] for n, head in enumerate(shown["heads"])}


def said(at: AppTest) -> str:
    return "\n".join(one.value for kind in (at.markdown, at.caption, at.latex) for one in kind)


@pytest.mark.parametrize(("L", "M"), [(8, 16), (8, 13), (16, 5), (8, 0), (8, 512), (256, 1)])
def test_the_stepper_shows_the_rows_of_the_run(page: AppTest, xl: txlviz.Checkpoint, L: int, M: int) -> None:
    page.slider(key="L").set_value(L)
    page.slider(key="M").set_value(M).run()
    rows = memory_rows(xl, TEXT, L, M)
    shown = film(page)
    assert shown["tokens"] == txlviz.trace(xl, TEXT, L, M, record=[]).inputs
    assert shown["steps"] == [[step.start, step.stop, step.first_read, step.first_kept] for step in rows.steps]
    assert shown["earliest"] == rows.earliest.tolist()
    assert (shown["capacity"], shown["width"], shown["bytesPerRow"]) == (M, 128, 512)
    assert shown["checked"] == shown["equal"] == 4 * sum(step.rows_kept for step in rows.steps)


def test_it_begins_with_the_segment_of_the_selected_token() -> None:
    assert film(opened(token="17"))["first"] == 2
    at = opened()
    assert film(at)["selected"] == len(film(at)["tokens"]) - 1
    assert film(at)["first"] == len(film(at)["steps"]) - 1


def test_the_other_model_has_other_layers(page: AppTest) -> None:
    page.button_group(key="preset").set_value("wikitext2-2l").run()
    assert len(film(page)["earliest"]) == 2


@pytest.mark.parametrize(("N", "L", "M"), [(4, 8, 16), (1, 8, 3), (3, 8, 0), (8, 8, 1), (2, 16, 17)])
def test_the_span_is_computed_and_measured(page: AppTest, N: int, L: int, M: int) -> None:
    page.slider(key="span_N").set_value(N)
    page.slider(key="L").set_value(L)
    page.slider(key="M").set_value(M).run()
    spans = txlviz.memory_span(N, L, M)
    layers = facts(page, "span-by-layer")
    assert layers["layer"] == list(range(1, N + 1))
    assert layers["p = 0"] == layers["p = 0, measured"] == spans[:, 0].tolist()
    assert layers["p = L − 1"] == layers["p = L − 1, measured"] == spans[:, -1].tolist()
    stairs = facts(page, "span-over-M")
    for m, computed, measured, product in zip(*stairs.values(), strict=True):
        assert computed == txlviz.memory_span(N, L, m)[-1, 0]
        assert measured in (None, computed)
        assert (measured is None) == (m not in {M, 0, 1, L, L + 1})
        assert product == N * m
    assert f"Layer {N} at p = 0: **{spans[-1, 0]:,} tokens** back; N·M says {N * M:,}" in said(page)
    assert "all layers and positions agree" in said(page)


def test_the_staircase_of_the_example() -> None:
    at = opened(L="64", M="65")
    stairs = facts(at, "span-over-M")
    spans = dict(zip(stairs["M (rows kept)"], stairs["tokens back, computed"], strict=True))
    assert {m: spans[m] for m in (0, 1, 64, 65)} == {0: 0, 1: 193, 64: 256, 65: 449}
    assert r"0 + 65 + 3 \cdot 64 \cdot 2 = 449" in said(at)


def test_what_is_too_large_is_computed_and_not_measured() -> None:
    at = opened(L="256", M="512", N="16")
    assert at.slider(key="span_N").value == 16
    assert "Not measured" in said(at)
    assert facts(at, "span-by-layer")["p = 0"][-1] == txlviz.memory_span(16, 256, 512)[-1, 0]


def test_m_has_two_handles_and_four_buttons(page: AppTest) -> None:
    page.slider(key="span_M").set_value(1).run()
    assert page.slider(key="M").value == film(page)["capacity"] == 1
    page.button_group(key="span_jump").set_value(9).run()
    assert page.slider(key="M").value == page.slider(key="span_M").value == 9
    page.slider(key="M").set_value(30).run()
    assert page.slider(key="span_M").value == 30
    assert page.query_params["M"] == "30"


@pytest.mark.parametrize("made_up", ["99", "-1", "x", "", "<b>"])
def test_a_made_up_number_of_layers_is_put_right(made_up: str) -> None:
    assert 1 <= opened(N=made_up).slider(key="span_N").value <= 16


def test_the_folds_are_computed_only_when_they_are_open(page: AppTest) -> None:
    assert not page.table
    assert {one["name"] for one in component(page, "chart")} >= {"span-over-M", "span-by-layer"}
    assert not {one["name"] for one in component(page, "chart")} & {"rnn", "transformer-xl", "fewer-rows"}


def test_recurrence_within_a_layer_and_across_layers() -> None:
    at = opened("fold_rnn")
    assert "here 17 steps" in said(at)
    assert "takes 2 looks, and inputs before place 4 have expired" in said(at)
    assert len(facts(at, "rnn")["layer"]) == 15 + 2
    assert facts(at, "transformer-xl")["place"][0] == 15 - txlviz.memory_span(2, 4, 4)[-1, -1] == 4


def test_with_all_rows_kept_every_cut_is_the_same_and_with_fewer_not(xl: txlviz.Checkpoint) -> None:
    at = opened("fold_kv")
    T = len(film(at)["tokens"])
    table = at.table[0].value
    assert table["Cut"].tolist() == ["one token a step", "segments of 7", "segments of 4", "segments of 8"]
    assert table["Steps"].tolist() == [str(-(-T // L)) for L in (1, 7, 4, 8)]
    found = compare_cuts(xl, TEXT, [(L, T) for L in (1, 7, 4, 8)])
    assert all(cut.largest < 1e-4 for cut in found.cuts)
    assert table["Largest difference of all logits"].tolist() == [size(cut.largest) for cut in found.cuts]
    for kept in (16, 0):
        at.button_group(key="kept_rows").set_value(kept).run()
        (cut,) = compare_cuts(xl, TEXT, [(8, kept)]).cuts
        same = next(start for start in range(0, T, 8) if start > kept)
        assert cut.largest > 0.1
        assert f"differ by up to **{size(cut.largest)}**" in said(at)
        assert f"The first {same} tokens are the same" in said(at)
        assert f"changes by {cut.losses[same:].mean():+.3f} nats" in said(at)
        assert facts(at, "fewer-rows")["change (nats)"] == pytest.approx(cut.losses.tolist(), rel=1e-4, abs=1e-6)


def test_nothing_changes_where_all_rows_are_kept() -> None:
    at = opened("fold_kv", M="64")
    at.button_group(key="kept_rows").set_value(64).run()
    assert "all of this text's history is kept, so nothing changes" in said(at)
    at = opened("fold_kv", text="a", M="16")
    assert "nothing changes" in said(at)


def test_a_long_text_is_cut_short_in_the_comparison() -> None:
    at = opened("fold_kv", text=TEXT * 14, L="128", M="64")
    T = len(film(at)["tokens"])
    assert T > 257
    assert f"The first 256 tokens of the text are compared; {T - 257:,} more are left out" in said(at)


@pytest.mark.parametrize(
    "text",
    [
        "a",
        "emoji 😀👨‍👩‍👧 here",
        "مرحبا بالعالم",
        "你好,世界",
        "<b>bold</b><script>alert(1)</script>",
        "# head\n- **stars** [link](http://x) `code` $x^2$ :red[x] {step}",
    ],
)
def test_any_text_is_data(text: str) -> None:
    at = opened("fold_kv", text=text)
    assert film(at)["tokens"] == txlviz.trace(txlviz.load(ROOT / "checkpoints" / PRESET / "xl"), text, 8, 0, record=[]).inputs
    assert len(text) < 3 or text not in said(at)


def test_the_prose_outside_the_folds_is_short() -> None:
    folded = {"rnn", "kv", "kv_cut_short", "kv_smaller", "kv_no_change", "kv_new"}
    instead = {"not_measured", "measured_differ"}  # shown in the place of others
    shown = {key: body for key, body in sections(PAGE).items() if key not in folded | instead | {"labels", "stepper"}}
    assert sum(len(body.split()) for key, body in shown.items() if not key.startswith("cone_")) <= 170
