"""The Speed and generation page, control by control, without a browser."""

from __future__ import annotations

import threading
import time
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from tests.pages.opening import component, open_page
from txlviz.analysis.flops import cached_flops, window_flops
from txlviz.analysis.repetition import distinct_n, repeated_tokens
from txlviz.generation import Sampling, stream
from txlviz.recorded import RecordError
from txlviz.ui import models
from txlviz.ui.generation import cost, cost_charts, measuring
from txlviz.ui.generation.filler import filler, library
from txlviz.ui.generation.run import KINDS, Run

ROOT = Path(__file__).parents[2]
PAGE = "pages/speed_and_generation.py"
PRESET = "wikitext2-4l"
TEXT = "The river rises in the hills and flows past the old mill, which Thomas Calder built. The river is wide."


def opened(text: str = TEXT, **address: str) -> AppTest:
    return open_page(PAGE, {"text": text, **address}, {"sg_count": 50})


@pytest.fixture
def page() -> AppTest:
    """Opened, and the run that starts by itself at its end."""
    return finished(opened())


def run_of(at: AppTest) -> Run:
    run: Run = at.session_state["sg_run"]
    return run


def finished(at: AppTest) -> AppTest:
    for _ in range(300):
        if run_of(at).status != "running":
            break
        at.run()
        assert not at.exception
    assert run_of(at).status == "done"
    return at.run()


def streams(at: AppTest) -> dict[str, Any]:
    (found,) = component(at, "token_streams")
    return found


def table(at: AppTest, name: str) -> list[dict[str, Any]]:
    (found,) = [one for one in component(at, "chart") if f"{one['name']}-".startswith(f"{name}-")]
    return [dict(zip(found["heads"], row, strict=True)) for row in found["rows"]]


def said(at: AppTest) -> str:
    return "\n".join(one.value for kind in (at.markdown, at.caption, at.info, at.warning) for one in kind)


def tokens(kind: str, prompt: str, A: int, sampling: Sampling, seed: int, count: int = 50, L: int = 64) -> list[int]:
    xl = kind == "xl"
    steps = stream(
        models.checkpoint(PRESET, kind),  # type: ignore[arg-type]
        prompt,
        segment_length=L if xl else A,
        memory_length=A if xl else None,
        sampling=sampling,
        seed=seed,
    )
    return [step.token for step in islice(steps, count)]


def before(prompt: str, A: int) -> str:
    return filler(models.checkpoint(PRESET, "xl"), prompt, A)[0]


def test_it_opens_with_both_streams_of_the_api(page: AppTest) -> None:
    shown = streams(page)
    assert shown["status"] == "done"
    for side, kind in zip(shown["sides"], KINDS, strict=True):
        expected = tokens(kind, before(TEXT, 64) + TEXT, 64, Sampling(0.8), 0)
        assert run_of(page).sides[kind].tokens == expected
        assert side["text"] == models.checkpoint(PRESET, "xl").decode(expected).rstrip("�")
        seconds = run_of(page).sides[kind].seconds
        assert side["mean"] == pytest.approx(1000 * sum(seconds[1:]) / 49, rel=1e-3)
        assert side["last"] == pytest.approx(1000 * seconds[-1], rel=1e-3)
    assert shown["tail"] == TEXT
    assert len(shown["rows"]) == 50
    assert page.button(key="sg_go")


def test_doubling_starts_anew_with_twice_the_length(page: AppTest) -> None:
    assert "trained with windows" not in said(page)
    page.button(key="sg_double").click().run()
    assert page.select_slider(key="sg_A").value == 128
    assert page.query_params["A"] == "128"
    finished(page)
    assert run_of(page).asked.attention_length == 128
    prompt = before(TEXT, 128) + TEXT
    assert prompt != TEXT
    for kind in KINDS:
        assert run_of(page).sides[kind].tokens == tokens(kind, prompt, 128, Sampling(0.8), 0)
    assert "trained with windows of 64" in said(page)
    assert f"stand {run_of(page).asked.filler_tokens} tokens" in said(page)
    assert "A = 64" in streams(page)["sides"][1]["growth"]
    rows = table(page, "milliseconds-a-token")
    assert [(row["Attention length A (tokens)"], row["Model"]) for row in rows] == [
        (A, name) for A in (64, 128) for name in ("Transformer-XL", "Vanilla")
    ]
    assert rows[3]["Milliseconds a token (median)"] == pytest.approx(
        1000 * (run_of(page).sides["vanilla"].median or 0), rel=1e-4
    )


def test_the_longest_cannot_be_doubled() -> None:
    at = opened(A="99999")
    assert at.select_slider(key="sg_A").value == 2048
    assert at.button(key="sg_double").disabled


def test_every_way_of_drawing(page: AppTest) -> None:
    page.slider(key="sg_temperature").set_value(0.5)
    page.number_input(key="sg_seed").set_value(7)
    page.number_input(key="sg_top_k").set_value(20)
    page.slider(key="sg_top_p").set_value(0.9)
    page.slider(key="sg_penalty").set_value(1.2)
    page.toggle(key="sg_fill").set_value(False)
    page.select_slider(key="sg_count").set_value(100)
    page.slider(key="L").set_value(8)
    page.button(key="sg_go").click().run()
    finished(page)
    for kind in KINDS:
        expected = tokens(kind, TEXT, 64, Sampling(0.5, 20, 0.9, 1.2), 7, count=100, L=8)
        assert run_of(page).sides[kind].tokens == expected
    assert "tokens of the library's texts" not in said(page)


def test_a_text_of_the_library_as_prompt(page: AppTest) -> None:
    name = "The tenor"
    page.selectbox(key="sg_prompt").set_value(name)
    page.button(key="sg_go").click().run()
    finished(page)
    prompt = library()[name].text
    assert run_of(page).asked.prompt == prompt
    assert streams(page)["tail"].endswith("voice of Peter")
    assert run_of(page).sides["xl"].tokens == tokens("xl", prompt, 64, Sampling(0.8), 0)


def goes_on(page: AppTest, made: int) -> bool:
    """Whether the run gets further than ``made`` tokens: each run of the script does a piece of it, on a busy machine none."""
    for _ in range(60):
        if len(run_of(page).sides["xl"].tokens) > made:
            return True
        page.run()
    return False


def test_stop_is_at_once_and_what_was_made_stays(page: AppTest) -> None:
    page.select_slider(key="sg_A").set_value(1024)
    page.select_slider(key="sg_count").set_value(500)
    page.button(key="sg_go").click().run()
    assert run_of(page).status == "running"
    assert goes_on(page, 0)
    started = time.monotonic()
    page.button(key="sg_stop").click().run()
    made = len(run_of(page).sides["xl"].tokens)
    assert time.monotonic() - started < 5  # a whole page on a busy machine; the stop itself is a flag
    shown = streams(page)
    assert shown["status"] == "stopped"
    assert 0 < made < 500
    page.run()
    assert len(run_of(page).sides["xl"].tokens) == made
    assert page.button(key="sg_go")


def test_leaving_in_the_middle_leaves_no_thread_and_no_work(page: AppTest) -> None:
    threads = {thread.name for thread in threading.enumerate()}
    page.select_slider(key="sg_count").set_value(500)
    page.button(key="sg_go").click().run()
    page.button(key="sg_measure").click().run()
    assert run_of(page).status == "running"
    page.switch_page("pages/start.py").run()
    made, points = len(run_of(page).sides["xl"].tokens), len(page.session_state["sg_measuring"].points)
    time.sleep(0.5)
    assert len(run_of(page).sides["xl"].tokens) == made
    assert len(page.session_state["sg_measuring"].points) == points
    left = {thread.name for thread in threading.enumerate() if thread.name != "ScriptRunner.scriptThread"}
    assert left <= threads
    page.switch_page(PAGE).run()
    assert goes_on(page, made), "it goes on where it was left"


def test_it_says_when_the_controls_ask_for_another_run(page: AppTest) -> None:
    assert "other settings" not in said(page)
    page.select_slider(key="sg_A").set_value(256).run()
    assert "other settings" in said(page)
    page.button(key="sg_go").click().run()
    assert "other settings" not in said(page)
    page.button_group(key="preset").set_value("wikitext2-2l").run()
    assert "other settings" in said(page), "also while it runs"
    assert streams(page)["title"].endswith("A = 256, 4 layers")


def test_repetition_of_both(page: AppTest) -> None:
    rows = {(row["Measure"], row["Model"]): row["Share (0 to 1)"] for row in table(page, "repetition")}
    for kind, name in (("xl", "Transformer-XL"), ("vanilla", "Vanilla")):
        ids = run_of(page).sides[kind].tokens
        for n in range(1, 5):
            assert rows[f"distinct-{n}", name] == pytest.approx(distinct_n(ids, n), rel=1e-4)
        assert rows["repeated groups of 4", name] == pytest.approx(1 - (distinct_n(ids, 4) or 0), abs=1e-5)
        assert rows["seen in the last 16", name] == pytest.approx(repeated_tokens(ids), rel=1e-4)


@pytest.mark.parametrize("preset", ["wikitext2-2l", "wikitext2-4l"])
def test_the_recorded_cost_beside_the_paper(page: AppTest, preset: str) -> None:
    page.button_group(key="preset").set_value(preset).run()
    record = models.recorded(preset, "eval_speed.json")
    last = record["points"][-1]
    rows = table(page, "evaluation-time")
    assert len(rows) == 18
    assert rows[8][cost_charts.TIME] == pytest.approx(1000 * last["xl_seconds"], rel=1e-4)
    xl, vanilla = (models.checkpoint(preset, kind).config for kind in ("xl", "vanilla"))
    for row in table(page, "evaluation-flops"):
        A = row[cost_charts.LENGTH]
        expected = cached_flops(xl, A) if row["Model"] == "Transformer-XL" else window_flops(vanilla, A)
        assert row[cost_charts.FLOPS] == pytest.approx(expected, rel=1e-4)
    clock, flops = last["vanilla_seconds"] / last["xl_seconds"], last["vanilla_flops"] / last["xl_flops"]
    assert f"**{clock:,.0f} times** as fast by the clock, **{flops:,.0f} times** by FLOPs" in said(page)
    paper = [row for row in table(page, "evaluation-times") if row["From"] == "The paper's (GPU)"]
    assert [(row[cost_charts.LENGTH], row[cost_charts.TIMES]) for row in paper] == [
        (800, 363),
        (1800, 773),
        (2800, 1409),
        (3800, 1874),
    ]
    assert "against recomputing each window" in said(page)
    assert record["machine"] in said(page)


def test_measuring_here(page: AppTest, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (cost, measuring):
        monkeypatch.setattr(module, "LENGTHS", (8, 16, 32))
    page.button(key="sg_measure").click().run()
    for _ in range(60):
        if page.session_state["sg_measuring"].status != "running":
            break
        page.run()
    page.run()
    rows = [row for row in table(page, "evaluation-time") if row["From"] == "now"]
    assert [row[cost_charts.LENGTH] for row in rows] == [8, 16, 32] * 2
    assert all(row[cost_charts.TIME] > 0 for row in rows)
    assert "measured just now on this machine" in said(page)
    assert "At 32 tokens" in said(page)
    page.button_group(key="preset").set_value("wikitext2-2l").run()
    assert {row["From"] for row in table(page, "evaluation-time")} == {"recorded"}, "it was of other models"


def test_cancel_keeps_what_was_measured(page: AppTest) -> None:
    page.button(key="sg_measure").click().run()
    job = page.session_state["sg_measuring"]
    for _ in range(60):
        if len(job.points) >= 2:
            break
        page.run()
    assert job.status == "running"
    page.button(key="sg_cancel").click().run()
    assert job.status == "cancelled"
    assert f"Cancelled: the {len(job.points)} lengths" in said(page)
    rows = [row for row in table(page, "evaluation-time") if row["From"] == "now"]
    assert len(rows) == 2 * len(job.points)


@pytest.mark.parametrize("M", [0, 64, 128, 256])
def test_the_library_at_each_memory(page: AppTest, M: int) -> None:
    page.button_group(key="sg_M").set_value(M).run()
    texts = models.recorded(PRESET, "prompts.json")["texts"]
    rows = table(page, "prompt-library")
    assert len(rows) == 5 * 32
    by_name = {(row["Text"], row["Model"]): row for row in rows}
    for text in texts:
        mentioned, replaced = text["chances"][f"xl {M}"]
        row = by_name[text["name"], f"XL, M = {M}"]
        assert row["P(word), mentioned (%)"] == pytest.approx(100 * mentioned, rel=1e-4)
        assert row["P(word), mention replaced (%)"] == pytest.approx(100 * replaced, rel=1e-4)
    lowered = sum(text["chances"][f"xl {M}"][1] < text["chances"][f"xl {M}"][0] for text in texts)
    assert f"**{lowered} of 32** texts for XL (M = {M}), and in **0** for vanilla" in said(page)


def test_one_text_is_readable_with_its_marks(page: AppTest) -> None:
    name = "The wolf"
    page.selectbox(key="sg_text").set_value(name).run()
    (shown,) = component(page, "marked_text")
    prompt = library()[name]
    kinds = {kind: text for text, kind in shown["pieces"] if kind}
    assert kinds == {"mention": prompt.mention, "replacement": f" {prompt.replacement}", "answer": f" {prompt.answer}"}
    assert "".join(text for text, kind in shown["pieces"] if kind != "replacement") == f"{prompt.text} {prompt.answer}"
    (text,) = [one for one in models.recorded(PRESET, "prompts.json")["texts"] if one["name"] == name]
    assert f"{text['distance']} tokens back" in said(page)
    assert f"**{100 * text['chances']['xl 256'][0]:.2g} %** mentioned" in said(page)


def test_records_of_other_weights_are_not_shown(page: AppTest, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise RecordError("x: it was recorded with other weights than those that are here")

    monkeypatch.setattr(models, "recorded", refuse)
    page.run()
    assert not page.exception
    assert "There is no recording for these models" in said(page)
    assert "no recording of the prompt library" in said(page)
    assert page.button(key="sg_measure")


@pytest.mark.parametrize("text", ["a", "<b>bold</b><script>alert(1)</script>", "# head **x** $x^2$ {A}", "مرحبا", "👩‍👩‍👧 \0"])
def test_any_text_works_and_is_data(page: AppTest, text: str) -> None:
    page.text_area(key="text").set_value(text)
    page.button(key="sg_go").click().run()
    finished(page)
    assert streams(page)["tail"] == text
    assert len(text) < 3 or text not in said(page)
    assert all(side["text"] not in said(page) for side in streams(page)["sides"] if len(side["text"]) > 3)


def test_without_a_text_the_last_good_one_goes_on(page: AppTest) -> None:
    page.text_area(key="text").set_value("  ")
    page.button(key="sg_go").click().run()
    assert run_of(page).asked.prompt == TEXT
