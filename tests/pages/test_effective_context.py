"""The Effective context page, control by control, without a browser."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from streamlit.testing.v1 import AppTest

import txlviz
from tests.pages.opening import component, open_page
from txlviz.analysis import context_record
from txlviz.analysis.distant_context import distant_context, plan
from txlviz.analysis.distant_pieces import WAYS
from txlviz.analysis.recl import effective_contexts
from txlviz.analysis.sabotage import replacement, sabotage
from txlviz.content import sections
from txlviz.ui import models
from txlviz.ui.effective_context import distant, folds, swap
from txlviz.ui.effective_context.measured import reaches

ROOT = Path(__file__).parents[2]
PAGE = "pages/effective_context.py"
PRESET = "wikitext2-4l"
TEXT = "The river rises in the hills and flows past the old mill, which Thomas Calder built. The river is wide."
KINDS: tuple[models.Kind, ...] = ("xl", "vanilla")


def opened(text: str = TEXT, L: int = 8, M: int = 16, **address: str) -> AppTest:
    return open_page(PAGE, {"text": text, "L": L, "M": M, **address})


@pytest.fixture
def page() -> AppTest:
    return opened()


def chart(at: AppTest, name: str) -> dict[str, Any]:
    (found,) = [one for one in component(at, "chart") if one["name"].startswith(name)]
    return found


def table(at: AppTest, name: str) -> list[dict[str, Any]]:
    """The facts of a chart, a mapping each row."""
    found = chart(at, name)
    return [dict(zip(found["heads"], row, strict=True)) for row in found["rows"]]


def said(at: AppTest) -> str:
    return "\n".join(one.value for kind in (at.markdown, at.caption, at.info, at.warning) for one in kind)


def record(preset: str = PRESET) -> context_record.ContextRecord:
    return context_record.read(models.CHECKPOINTS / preset, {kind: models.weights_hash(preset, kind) for kind in KINDS})


@pytest.mark.parametrize(("L", "M"), [(8, 16), (8, 0), (256, 512), (64, 512)])
def test_the_bars_are_the_span_of_the_strip(page: AppTest, L: int, M: int) -> None:
    page.slider(key="L").set_value(L)
    page.slider(key="M").set_value(M).run()
    span = txlviz.memory_span(4, L, M)
    rows = [row for row in table(page, "effective-context") if row["What"].startswith("reach")]
    assert len(rows) == 5
    for layer, row in zip(span, rows, strict=False):
        assert row["Reach of every position (tokens)"] == layer.min() + 1
        assert row["Mean reach (tokens)"] == pytest.approx(layer.mean() + 1, abs=0.06)
        assert row["Reach of the last position (tokens)"] == layer.max() + 1
    assert rows[4]["Mean reach (tokens)"] == (L + 1) / 2
    assert rows[4]["Reach of the last position (tokens)"] == L
    assert f"the top layer could use **{span[-1].max() + 1:,}** tokens" in said(page)
    reaches_further = span[-1].max() + 1 >= record().facts["curves"]["xl"]["flat"]
    assert ("Reach is not use" in chart(page, "effective-context")["title"]) == reaches_further


@pytest.mark.parametrize("preset", models.PRESETS)
def test_the_curve_is_the_recording(page: AppTest, preset: str) -> None:
    page.button_group(key="preset").set_value(preset).run()
    found = record(preset)
    rows = [row for row in table(page, "effective-context") if row["What"].startswith("loss")]
    for kind, name in (("xl", "Transformer-XL"), ("vanilla", "Vanilla")):
        own = [row for row in rows if row["What"] == f"loss, {name}"]
        assert [row["Context c (tokens)"] for row in own] == list(found.contexts)
        assert_allclose([row["Mean loss (nats)"] for row in own], found.losses[kind].mean(axis=1), rtol=1e-4)
        assert all(row["Lower end, 95 % (nats)"] < row["Mean loss (nats)"] < row["Upper end, 95 % (nats)"] for row in own)
    assert f"stops falling at **c = {found.facts['curves']['xl']['flat']}**" in said(page)
    assert f"Recorded: {found.facts['targets']:,} targets" in said(page)
    xl, vanilla = (found.losses[kind].mean(axis=1) for kind in KINDS)
    ahead = found.contexts[int(np.argmax(xl < vanilla))]
    assert f"With fewer than {ahead} tokens the Transformer-XL is the *worse* one" in said(page)


def test_without_a_recording_the_page_goes_on(page: AppTest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(models, "weights_hash", lambda preset, kind: "other")
    page.run()
    assert not page.exception
    assert "no recording of loss against context" in said(page)
    assert chart(page, "distant-context")
    assert chart(page, "sabotage")


@pytest.mark.parametrize("way", WAYS)
def test_distant_context_is_the_analysis(page: AppTest, way: str) -> None:
    page.button_group(key="way").set_value(way).run()
    assert page.query_params.get("way") == (None if way == WAYS[0] else str(WAYS.index(way)))
    n = len(models.checkpoint(PRESET, "xl").encode(TEXT))
    targets, distances = plan(n)
    rows = table(page, f"distant-context-{way}")
    assert [row["d (tokens)"] for row in rows] == list(distances)
    means = {}
    for kind, name in (("xl", "Transformer-XL"), ("vanilla", "Vanilla")):
        asked = {"way": way, "distances": distances, "other": distant.other_text(TEXT)}
        M = 16 if kind == "xl" else 0
        found = distant_context(models.checkpoint(PRESET, kind), TEXT, 8, M, targets=targets, **asked)
        means[kind] = found.change.mean(axis=1)
        assert_allclose([row[f"Rise, {name}, mean (nats)"] for row in rows], means[kind], atol=1e-4)
        last = distant_context(models.checkpoint(PRESET, kind), TEXT, 8, M, targets=(n,), **asked)
        (column,) = [head for head in rows[0] if head.startswith(f"Rise, {name}, “.” at {n}")]
        assert_allclose([row[column] for row in rows], last.change[:, 0], atol=1e-4)
    at = max(row for row, d in enumerate(distances) if d <= 8)
    assert f"At d = {distances[at]}: Transformer-XL **{means['xl'][at]:+.2f}** nats" in said(page)
    assert "From d = 8 on, the vanilla model's change is **exactly 0**" in said(page)


def test_the_selected_token_has_its_own_line() -> None:
    at = opened(token="12")
    rows = table(at, "distant-context")
    token = models.checkpoint(PRESET, "xl").tokenizer.show(models.checkpoint(PRESET, "xl").encode(TEXT))[11].removeprefix("␣")
    column = f"Rise, Transformer-XL, “{token}” at 12 (nats)"
    filled = [row[column] is not None for row in rows]
    assert filled == [row["d (tokens)"] < 12 for row in rows]


def test_cancelling_stops_and_measure_goes_on(page: AppTest, monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[float] = []
    monkeypatch.setattr(distant, "_PATIENCE", -1.0)  # the bar at once
    monkeypatch.setattr(distant, "_EVERY", 0.0)
    tick = distant.Distant._tick

    def counted(self: distant.Distant) -> None:
        calls.append(self.done / self.total)
        tick(self)

    monkeypatch.setattr(distant.Distant, "_tick", counted)
    page.slider(key="M").set_value(24).run()
    assert calls
    assert calls == sorted(calls)
    assert calls[-1] == 1.0
    settings = (session_settings(24), WAYS[0])
    page.session_state[distant._CANCELLED] = settings
    calls.clear()
    page.run()
    assert not calls
    assert "Cancelled" in said(page)
    page.button(key="distant_measure").click().run()
    assert chart(page, "distant-context")


def session_settings(M: int) -> Any:
    from txlviz.ui.session import Settings

    return Settings(PRESET, TEXT, 8, M)


def test_the_work_starts_no_thread(page: AppTest) -> None:
    before = threading.active_count()
    page.slider(key="M").set_value(33).run()
    assert threading.active_count() <= before


def swapped(text: str, L: int, M: int, place: int, word: str) -> dict[str, Any]:
    token = replacement(models.checkpoint(PRESET, "xl"), text, place, word)
    return {
        kind: sabotage(models.checkpoint(PRESET, kind), text, L, M if kind == "xl" else 0, place=place, token=token)
        for kind in KINDS
    }


@pytest.mark.parametrize(
    ("L", "M", "place", "word"), [(8, 16, 3, "the"), (8, 0, 5, "Smith"), (64, 64, 1, "river"), (8, 512, 0, "the")]
)
def test_sabotage_is_the_analysis(L: int, M: int, place: int, word: str) -> None:
    at = opened(L=L, M=M, swap=str(place))
    at.selectbox(key="swap_word").set_value(word).run()
    found = swapped(TEXT, L, M, place, word)
    rows = table(at, f"sabotage-{place}")
    assert [row["Place"] for row in rows] == list(range(place + 1, len(found["xl"].after)))
    for kind, name in (("xl", "Transformer-XL"), ("vanilla", "Vanilla")):
        assert_allclose([row[f"Rise, {name} (nats)"] for row in rows], found[kind].change[place + 1 :], atol=1e-4)
        assert_allclose([row[f"{name}, swapped (nats)"] for row in rows], found[kind].after[place + 1 :], rtol=1e-4)
    count = len(rows)
    much = int((np.abs(np.nan_to_num(found["xl"].change)) >= 0.05).sum())
    assert f"**Transformer-XL:** {found['xl'].changed.sum()} of {count} later predictions change, {much} by" in said(at)
    reader = np.arange(len(found["xl"].after)) - 1
    beyond = int((reader // L > place // L).sum())
    if beyond:
        assert f"Beyond its segment exactly **0** of {beyond} change, bit for bit." in said(at)
    else:
        assert "The text ends before its segment does" in said(at)
    (strip,) = component(at, "token_strip")
    assert strip["selected"] == place
    assert len(strip["marks"]) == much


def test_it_opens_with_a_name_that_returns_and_forgets_a_place_of_another_text(page: AppTest) -> None:
    (strip,) = component(page, "token_strip")
    first = strip["selected"]
    assert "swap" not in page.query_params
    moved = opened(swap="5")
    assert moved.query_params["swap"] == "5"
    moved.text_area(key="text").set_value(TEXT + " It is deep.").run()
    assert "swap" not in moved.query_params
    assert next(component(moved, "token_strip"))["selected"] == first
    assert next(component(opened(swap="9999"), "token_strip"))["selected"] is not None
    assert next(component(opened(swap="x"), "token_strip"))["selected"] == first


def test_taking_the_token_back_leaves_it_swapped(page: AppTest) -> None:
    page.session_state[swap._PLACE] = (TEXT, 5)
    page.run()

    def back() -> None:
        from txlviz.ui.effective_context import swap

        swap._choose(None)

    assert next(component(page, "token_strip"))["selected"] == 5
    assert next(component(page, "token_strip"))["required"]
    back_at = AppTest.from_function(back)
    back_at.session_state[swap._PLACE] = (TEXT, 5)
    assert back_at.run().session_state[swap._PLACE] == (TEXT, 5)


def test_the_last_token_has_nothing_after_it() -> None:
    last = len(models.checkpoint(PRESET, "xl").encode(TEXT))
    assert "Nothing comes after the last token" in said(opened(swap=str(last)))


@pytest.mark.parametrize("word", ["\ud83d", "<b>", "", "x" * 5000, "{token} $x$"])
def test_a_typed_word_is_data(page: AppTest, word: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(swap.st, "selectbox", lambda *_, **__: word)  # AppTest can choose only what is listed
    page.run()
    assert not page.exception
    assert ("half a character" in said(page)) == (word == "\ud83d")
    assert "<b>" not in said(page)


@pytest.mark.parametrize(("r", "step", "first"), [(0.1, 16, 16), (0.5, 64, 128), (1.0, 128, 256), (0.1, 96, 48)])
def test_the_relative_effective_context_length(page: AppTest, r: float, step: int, first: int) -> None:
    page.session_state["recl_fold"] = True
    page.run()
    page.button_group(key="recl_r").set_value(r)
    page.select_slider(key="recl_step").set_value(step)
    page.select_slider(key="recl_first").set_value(first).run()
    found = record()
    contexts = list(range(first, 513, step))
    row = {c: n for n, c in enumerate(found.contexts)}
    losses = {
        "xl": found.losses["xl"][[row[c] for c in contexts]],
        "vanilla": found.losses["vanilla"][[row[min(c, 64)] for c in contexts]],
    }
    for kind, name in (("xl", "Transformer-XL"), ("vanilla", "Vanilla")):
        one = effective_contexts(losses, contexts, r)[kind]
        assert f"**{name}: {'≥ ' if one.at_least else ''}{one.length}** tokens" in said(page)
        rows = table(page, "recl")
        assert_allclose([line[f"Gain, {name} (%)"] for line in rows], 100 * np.array(one.gains), atol=1e-4)
        assert_allclose([line[f"Fall of the mean loss, {name} (nats)"] for line in rows], one.mean_gains, atol=1e-5)
    assert f"r = {r:g} keeps {round(r * found.facts['targets']):,}" in said(page)


def test_the_papers_table_is_as_printed() -> None:
    rows = folds.paper_table().to_numpy().tolist()
    assert [[int(cell) for cell in row[1:]] for row in rows] == [
        [900, 800, 700],
        [500, 400, 300],
        [400, 300, 200],
        [700, 600, 500],
        [400, 400, 300],
        [300, 300, 300],
        [128, 128, 128],
    ]
    assert list(folds.paper_table().columns[1:]) == ["r = 0.1", "r = 0.5", "r = 1"]


def test_reach_counts_the_place_that_predicts() -> None:
    first, top, vanilla = reaches(2, 8, 8)
    assert (first.least, first.most) == (9, 16)
    assert (top.least, top.most) == (17, 24)
    assert (vanilla.least, vanilla.mean, vanilla.most) == (1, 4.5, 8)


@pytest.mark.parametrize(
    "text",
    [
        "a",
        "a b",
        "<b>bold</b><script>alert(1)</script>",
        "# head **x** [l](http://x) $x^2$",
        "مرحبا بالعالم",
        "👩‍👩‍👧 \0 {place} {token} %{x}",
    ],
)
def test_any_text_works_and_is_data(page: AppTest, text: str) -> None:
    page.text_area(key="text").set_value(text).run()
    assert not page.exception
    n = len(models.checkpoint(PRESET, "xl").encode(text))
    assert ("too short to take anything away" in said(page)) == (n == 1)
    assert len(text) < 4 or text not in said(page)
    assert ("read English only" in said(page)) == text.startswith("مرحبا")


def test_a_change_that_is_nothing_by_chance_is_not_called_blindness(page: AppTest) -> None:
    page.text_area(key="text").set_value("word").run()  # both texts begin with a newline, and nothing else lies further back
    assert "At d = 1" in said(page)
    assert "exactly 0** at all of them" not in said(page)


def test_the_other_text_is_another_one() -> None:
    stories = list(sections("stories").values())
    assert distant.other_text("A river.") == "\n".join(stories)
    assert distant.other_text(f"{stories[0]} And more.") == "\n".join(stories[1:])
