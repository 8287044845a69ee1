"""The Echo test page, control by control, without a browser."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from txlviz import recorded
from txlviz.tasks import Settings, background, grid, in_sight, record, shipped
from txlviz.ui.echo import training
from txlviz.ui.echo.view import two_looks

ROOT = Path(__file__).parents[2]
L = 32


@pytest.fixture(scope="module")
def runs() -> record.Record:
    weights = {kind: shipped.weights_hash(kind) for kind in ("xl", "vanilla")}
    return record.from_values(recorded.read(shipped.FOLDER / record.FILE, weights))


def opened(**address: str) -> AppTest:
    at = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60)
    for name, value in address.items():
        at.query_params[name] = value
    at.switch_page("pages/echo_test.py").run()
    assert not at.exception
    return at


def facts(at: AppTest, name: str = "echo-D") -> dict[str, Any]:
    """What the head of a chart was given: title, heads, rows."""
    heads = [json.loads(one.proto.json) for one in at.get("bidi_component") if one.proto.json]
    return next(head for head in heads if str(head.get("name", "")).startswith(name))


def column(at: AppTest, words: str, name: str = "echo-D") -> list[Any]:
    given = facts(at, name)
    at_column = next(n for n, head in enumerate(given["heads"]) if words in head)
    return [row[at_column] for row in given["rows"]]


def said(at: AppTest) -> str:
    return "\n".join(one.value for one in [*at.markdown, *at.caption, *at.info, *at.warning])


def reveal(at: AppTest) -> AppTest:
    at.button(key="echo_reveal").click().run()
    assert not at.exception
    return at


def test_the_viewer_places_the_cliff_before_anything_is_shown() -> None:
    at = opened()
    assert at.title[0].value == "How far back can it copy?"
    assert len(facts(at)["heads"]) == 1, "positions only"
    assert "from p = 23" not in said(at)
    assert "source" not in column(at, "Role", "echo-stream")
    at.select_slider(key="echo_pointer").set_value(20)
    reveal(at)
    assert "from p = 23 on" in said(at)
    assert "You said p = 20" in said(at)
    at.button(key="echo_reveal").click().run()
    at.select_slider(key="echo_pointer").set_value(23).run()
    assert "from p = 23" not in said(at), "hidden again"
    reveal(at)
    assert "You placed it right" in said(at)
    at.select_slider(key="echo_tested").set_value(24).run()
    assert "You placed it right" not in said(at), "that was for another M"


@pytest.mark.parametrize(("delay", "trained", "tested"), [(40, 64, 0), (40, 64, 128), (8, 0, 0), (96, 96, 128), (40, 16, 16)])
def test_the_numbers_are_the_recorded_ones(runs: record.Record, delay: int, trained: int, tested: int) -> None:
    at = opened(D=str(delay), trained=str(trained), tested=str(tested), revealed="1")
    xl, vanilla = runs.cell("xl", delay, trained), runs.cell("vanilla", delay)
    assert xl is not None
    assert vanilla is not None
    assert column(at, "Transformer-XL") == pytest.approx(xl.accuracy[tested], abs=1e-5)
    assert column(at, "Vanilla") == pytest.approx(vanilla.accuracy[0], abs=1e-5)
    seen = in_sight(delay, L, tested)
    assert column(at, "In sight") == ["yes" if one else "no" for one in seen]
    for shares, words in ((seen, "where the source is in sight"), (~seen, "elsewhere")):
        if shares.any():
            assert f"{xl.accuracy[tested][shares].mean():.2f} {words}" in said(at)


def test_the_shipped_pair_is_what_is_shown_for_its_settings() -> None:
    at = opened(tested="24", revealed="1")
    loaded = shipped.load("xl")
    np.testing.assert_allclose(column(at, "Transformer-XL"), grid.measured(loaded.model, loaded.task, 24), atol=2e-3)


def test_where_d_fits_the_vanilla_model_wakes_up_and_where_it_doesnt_it_guesses() -> None:
    at = opened(D="20", revealed="1")
    assert "Vanilla wakes up at p = 19" in said(at)
    assert "isn't bad, it is short" in said(at)
    at.select_slider(key="echo_delay").set_value(40).run()
    assert "it can only guess" in said(at)


def test_the_price_of_stop_gradient_is_named_where_two_looks_would_reach() -> None:
    at = opened(trained="16", tested="16", revealed="1")
    assert "two looks" in said(at)
    assert "price of stop-gradient" in said(at)
    at.select_slider(key="echo_tested").set_value(64).run()
    assert "price of stop-gradient" not in said(at)


@pytest.mark.parametrize("M", [0, 8, 16, 24, 40, 64])
@pytest.mark.parametrize("delay", [8, 40, 64, 96])
def test_two_looks_is_the_span_of_two_layers_without_one_look(delay: int, M: int) -> None:
    reach = [p + M + (L * -(-M // L) if M else 0) for p in range(L)]
    relay = [p for p in range(L) if p + M < delay - 1 <= reach[p]]
    assert two_looks(delay, M) == (relay[0] if relay else None)


def test_a_run_with_nothing_to_learn_or_not_learned_is_named(runs: record.Record) -> None:
    at = opened(D="64", trained="0", tested="64", revealed="1")
    assert "there was nothing to learn" in said(at)
    for cell in runs.cells:
        if cell.kind == "xl" and cell.learned is False:
            at = opened(D=str(cell.delay), trained=str(cell.trained_memory), revealed="1")
            assert "has not learned the task yet" in said(at)
            break


@pytest.mark.parametrize("key", ["delay", "trained", "tested", "pointer"])
def test_sliders_at_both_ends(key: str) -> None:
    at = opened(revealed="1")
    slider = at.select_slider(key=f"echo_{key}")
    for value in (slider.options[0], slider.options[-1]):
        at.select_slider(key=f"echo_{key}").set_value(_typed(key, value)).run()
        assert not at.exception
        assert len(column(at, "Input position")) == L
        assert column(at, "Role", "echo-stream").count("target") == 1


def _typed(key: str, shown: str) -> int:
    return L if shown == "nowhere" else int(shown.removeprefix("p = "))


def test_the_strip_is_a_stretch_of_the_stream() -> None:
    at = opened(D="20", tested="16", p="5", revealed="1")
    places, symbols = column(at, "Place", "echo-stream"), column(at, "Symbol", "echo-stream")
    states, roles = column(at, "it is", "echo-stream"), column(at, "Role", "echo-stream")
    assert states.count("memory") == 16
    assert places[roles.index("target")] == 6
    assert places[roles.index("source")] == 6 - 20
    copied = [a == b for a, b in zip(symbols[20:], symbols, strict=False)]
    assert 0.7 < np.mean(copied) < 1.01


def test_the_address_keeps_what_is_shown_and_a_made_up_one_is_put_right() -> None:
    at = opened(D="8", trained="16", tested="128", p="3", revealed="1")
    assert [at.select_slider(key=f"echo_{key}").value for key in ("delay", "trained", "tested", "pointer")] == [8, 16, 128, 3]
    at.select_slider(key="echo_delay").set_value(40).run()
    assert "D" not in at.query_params, "the default"
    at = opened(D="<b>", trained="-5", tested="9999", p="77", revealed="yes")
    assert [at.select_slider(key=f"echo_{key}").value for key in ("delay", "trained", "tested", "pointer")] == [40, 0, 128, 32]
    assert "Reveal" in at.button(key="echo_reveal").label


def test_settings_outlive_a_visit_to_another_page_and_the_text_is_left_alone() -> None:
    at = opened(text="The old mill", L="16", revealed="1")
    at.select_slider(key="echo_delay").set_value(24).run()
    at.switch_page("pages/score_terms.py").run()
    assert (at.text_area(key="text").value, at.slider(key="L").value) == ("The old mill", 16)
    at.switch_page("pages/echo_test.py").run()
    assert at.select_slider(key="echo_delay").value == 24
    assert at.button(key="echo_reveal").label == "Place it again"
    assert at.text_area(key="text").value == "The old mill"


def test_a_missing_record_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("txlviz.ui.echo.view.FILE", "nothing.json")
    at = opened()
    assert "can't be shown" in at.warning[0].value
    assert "no record" in at.code[0].value


def test_the_folds_tell_what_happened(runs: record.Record) -> None:
    at = opened()
    tables = [one.value for one in at.table]
    assert [len(table) for table in tables] == [5, len(runs.delays())]
    control = [run for run in runs.relay if run.memory == 16]
    assert f"k = 1): {sum(run.learned for run in control)} of {len(control)} learned" in said(at)
    assert facts(at, "echo-relay")["title"].startswith("Who learns to relay")


# ---- training here


def small(steps: int) -> Callable[[str, int, int], Settings]:
    def settings(kind: str, memory_length: int, seed: int) -> Settings:
        rows = memory_length if kind == "xl" else 0
        return Settings(kind, memory_length=rows, d_model=8, n_heads=1, d_inner=8, batch_size=2, steps=steps, seed=seed)  # type: ignore[arg-type]

    return settings


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(background, "settings", small(12))
    monkeypatch.setattr(background, "_STREAMS", 4)
    monkeypatch.setattr(background, "_SEGMENTS", 2)
    yield
    if (job := training.trainer().running()) is not None:
        job.cancel()
        job.join(10)


def finished(at: AppTest, seconds: float = 30) -> AppTest:
    ends, pause = time.monotonic() + seconds, threading.Event()
    while "echo_cancel" in [button.key for button in at.button]:
        assert time.monotonic() < ends
        pause.wait(0.1)
        at.run()
    assert not at.exception
    return at


def test_a_pair_is_trained_and_shown_with_the_pages_m(quick: None) -> None:
    at = opened(D="20")
    at.button(key="echo_train").click().run()
    finished(at)
    assert "Trained here in" in said(at)
    assert "D = 20, M = 64, start 0" in said(at)
    assert "Transformer-XL: **has not learned yet**" in said(at)
    assert "Not every random start learns" in said(at)
    job = at.session_state["echo_job"]
    assert column(at, "Transformer-XL", "echo-trained-here") == pytest.approx(job.progress["xl"].by_memory[16], abs=1e-5)
    at.select_slider(key="echo_tested_here").set_value(128).run()
    assert at.select_slider(key="echo_tested").value == 128, "one slider, twice"
    assert column(at, "Transformer-XL", "echo-trained-here") == pytest.approx(job.progress["xl"].by_memory[128], abs=1e-5)
    assert column(at, "Training step", "echo-training") == [10]


def test_whoever_comes_second_is_told_and_has_their_turn(quick: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(background, "settings", small(100_000))
    first, second = opened(), opened()
    first.button(key="echo_train").click().run()
    assert "has not learned yet" in _progress(first)
    second.button(key="echo_train").click().run()
    assert "Someone is training a pair (D = 40, M = 64)" in second.info[0].value
    assert "echo_job" not in second.session_state
    first.button(key="echo_cancel").click().run()
    assert "Cancelled" in first.info[0].value
    second.run()
    assert "your turn" in second.info[0].value
    second.button(key="echo_train").click().run()
    assert "echo_cancel" in [button.key for button in second.button]
    second.button(key="echo_cancel").click().run()


def _progress(at: AppTest) -> str:
    return " ".join(str(one.proto.text) for one in at.get("progress"))


def test_whoever_leaves_ends_their_run(quick: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(background, "settings", small(100_000))
    monkeypatch.setattr(background, "PATIENCE", 1.0)
    at = opened()
    at.button(key="echo_train").click().run()
    job = at.session_state["echo_job"]
    at.switch_page("pages/score_terms.py").run()
    job.join(15)
    assert not any(thread.is_alive() for thread in job.threads)
    at.switch_page("pages/echo_test.py").run()
    assert "ended when this page was left" in at.info[0].value
    assert not at.button(key="echo_train").disabled
