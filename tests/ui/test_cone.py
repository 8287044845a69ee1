"""What the cone is given equals what the Python API says, lens by lens."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

import txlviz
from txlviz.analysis.change_by_token import change_by_token
from txlviz.analysis.gradients import gradients
from txlviz.analysis.reach import reachable
from txlviz.analysis.replaced import changes
from txlviz.ui.cone import component, controls, sentences, view

ROOT = Path(__file__).parents[2]
PRESET = "wikitext2-2l"
TEXT = "The river rises in the hills and flows past the old mill, which {token} <b>Thomas</b> Calder built. " * 3
L, M = 8, 8


def script() -> None:
    from txlviz.ui import cone, session

    settings = session.controls()
    cone.draw(settings)
    cone.finish()


@pytest.fixture(scope="module")
def xl() -> txlviz.Checkpoint:
    return txlviz.load(ROOT / "checkpoints" / PRESET / "xl")


def run(token: int | None = 40, text: str = TEXT, **state: Any) -> AppTest:
    at = AppTest.from_function(script, default_timeout=60)
    for name, value in {"text": text, "L": L, "M": M, "preset": PRESET, "selected_token": token, **state}.items():
        (at.query_params if name in ("lens", "cone", "sg") else at.session_state)[name] = value
    at.run()
    assert not at.exception
    return at


def figures(at: AppTest) -> list[dict[str, Any]]:
    found = at.get("bidi_component")
    return [json.loads(one.proto.json) for one in found if one.proto.component_name == "txlviz_cone"]


def said(at: AppTest) -> str:
    return "\n".join(one.value for one in at.markdown)


def test_can_reach(xl: txlviz.Checkpoint) -> None:
    at = run()
    (data,) = figures(at)
    total = len(xl.encode(TEXT)) + 1
    reach = reachable(2, L, M, 40, total)
    span = int(txlviz.memory_span(2, L, M)[-1, 0])
    assert (data["lens"], data["kind"], data["selected"], data["total"]) == ("reach", "xl", 40, total)
    first = data["first"]
    window = reach[:, first : first + len(data["tokens"])]
    assert [[one == "1" for one in row] for row in data["reach"]] == window.tolist()
    assert first <= 40 - span
    assert window.sum() == reach.sum(), "all that reaches is shown"
    assert first + len(data["tokens"]) == 48, "up to the segment's end"
    assert data["tokens"] == txlviz.trace(xl, TEXT, L, M, record=[]).inputs[first:48]
    assert data["memory"] == [32, 40]
    assert f"{span} tokens back" in data["facts"]
    assert f"**{span} tokens**" in said(at)
    assert r"0 + 8 + 1 \cdot 8 \cdot 1" in said(at)
    assert data["values"] is None


def test_a_text_that_begins_within_the_span_says_so() -> None:
    at = run(token=20, M=64)
    span = int(txlviz.memory_span(2, L, 64)[-1, 20 % L])
    assert f"With full memories it would be {span}" in figures(at)[0]["facts"]
    assert f"**{span} tokens**" in said(at)


def test_without_a_selected_token_it_is_the_last_one(xl: txlviz.Checkpoint) -> None:
    assert figures(run(token=None))[0]["selected"] == len(xl.encode(TEXT))


def test_does_change(xl: txlviz.Checkpoint) -> None:
    cone, strip = figures(run(lens="change"))
    span = int(txlviz.memory_span(2, L, M)[-1, 0])
    assert cone["replaced"] == 40 - span, "the furthest that can reach"
    whole = changes(xl, TEXT, L, M, replaced=cone["replaced"], until=48)
    first = cone["first"]
    np.testing.assert_allclose(cone["values"], whole.size[:, first:], rtol=1e-3)
    np.testing.assert_array_equal(np.array(cone["values"]) > 0, whole.size[:, first:] > 0)
    assert sentences.size(whole.size[-1, 40]) in cone["facts"]
    assert cone["title"].startswith(f"“{cone['tokens'][cone['replaced'] - first]}” becomes “␣the”")

    assert strip["places"] == list(range(first, 40))
    found = change_by_token(xl, TEXT, L, M, place=40, replaced=strip["places"])
    np.testing.assert_allclose(strip["layers"], found.size, rtol=1e-3)
    assert f"{(found.size[-1] > 0).sum()} change the last layer" in strip["facts"]
    outside = 40 - span - first
    assert f"Of the {outside} outside the cone none does, bit for bit" in strip["facts"]


def test_small_numbers_are_written_by_their_power_of_ten() -> None:
    assert [sentences.size(value) for value in (1.234, 0.0512, 0.001, 0.00095, 2.83e-12)] == [
        "1.2",
        "0.051",
        "0.001",
        "9.5·10⁻⁴",
        "2.8·10⁻¹²",
    ]


def test_another_token_is_replaced() -> None:
    cone, strip = figures(run(lens="change", cone_replaced_place=39))
    assert cone["replaced"] == strip["replaced"] == 39
    beyond = figures(run(lens="change", cone_replaced_place=45))[0]
    assert beyond["replaced"] < 40, "what comes later can't be the question"
    outside = figures(run(lens="change", cone_replaced_place=cone["first"]))[0]
    assert "not one bit changes" in outside["facts"]


def test_a_long_text_has_a_sample_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(view, "_READ_AT_MOST", 1)
    (_, strip) = figures(run(lens="change", token=70, M=64))
    assert len(strip["places"]) == 32
    assert "evenly spread over the 70 shown" in strip["facts"]


def test_nothing_stands_before_the_first_token() -> None:
    at = run(token=0, lens="change")
    assert len(figures(at)) == 1
    assert "Nothing stands before" in at.caption[0].value


@pytest.mark.parametrize("stops", [True, False])
def test_gets_gradient(xl: txlviz.Checkpoint, stops: bool) -> None:
    at = run(lens="gradient", sg=str(int(stops)))
    (data,) = figures(at)
    found = gradients(xl, TEXT, L, M, segment=5, stop_gradient=stops)
    first = data["first"]
    np.testing.assert_allclose(data["values"], found.size[:, first:48], rtol=1e-3)
    before = int((found.size[0, :40] > 0).sum())
    assert (before == 0) == stops
    assert f"{found.loss:.2f} nats" in data["facts"]
    assert ("exactly 0" if stops else f"{before} of the 40") in data["facts"]
    assert ("SG: no gradient crosses" if stops else "Without SG") in said(at)


def test_before_the_first_segment_there_is_nothing() -> None:
    assert "No input stands before it" in figures(run(token=3, lens="gradient"))[0]["facts"]


def test_a_last_token_alone_in_its_segment_has_no_loss(xl: txlviz.Checkpoint) -> None:
    text = xl.decode(xl.encode(TEXT)[:40])
    at = run(token=40, text=text, lens="gradient")
    assert "there is no loss here" in figures(at)[0]["facts"]
    assert not np.any(figures(at)[0]["values"])


def test_the_vanilla_model_ends_at_its_segment() -> None:
    vanilla = txlviz.load(ROOT / "checkpoints" / PRESET / "vanilla")
    at = run(token=45, cone="vanilla")
    (data,) = figures(at)
    assert data["kind"] == "vanilla"
    assert data["memory"] == [40, 40]
    assert data["reach"][0].index("1") + data["first"] == 40
    assert "ends where the segment begins" in said(at)
    cone, strip = figures(run(token=45, cone="vanilla", lens="change"))
    assert cone["replaced"] == 40
    whole = changes(vanilla, TEXT, L, 0, replaced=40, until=48)
    np.testing.assert_allclose(cone["values"], whole.size[:, cone["first"] :], rtol=1e-3)
    assert not any(strip["layers"][-1][: 40 - cone["first"]])


def test_the_address_brings_the_lens() -> None:
    at = AppTest.from_function(script, default_timeout=60)
    at.query_params.update({"lens": "gradient", "cone": "xl", "sg": "0"})
    at.run()
    assert figures(at)[0]["lens"] == "gradient"
    assert at.toggle(key="cone_sg").value is False
    at.toggle(key="cone_sg").set_value(True).run()
    assert "sg" not in at.query_params
    at.button_group(key="lens").set_value("change").run()
    assert at.query_params["lens"] == "change"
    at = AppTest.from_function(script, default_timeout=60)
    at.query_params.update({"lens": "<b>", "cone": "?", "sg": "x"})
    at.run()
    assert not at.exception
    assert figures(at)[0]["lens"] == "reach"


def test_picks_from_the_browser_are_checked(monkeypatch: pytest.MonkeyPatch) -> None:
    given: dict[str, Any] = {}
    picked: list[tuple[str, int]] = []
    monkeypatch.setattr(component, "_mount", lambda **options: given.update(options))
    component.mount({"total": 10}, key="cone", on_pick=lambda what, place: picked.append((what, place)))
    for pick in (
        {"select": 9},
        {"replace": 0},
        {"select": 10},
        {"select": -1},
        {"select": True},
        {"select": "3"},
        [1],
        3,
        None,
        {},
    ):
        monkeypatch.setattr(component.st, "session_state", {"cone": {"pick": pick}})
        given["on_pick_change"]()
    monkeypatch.setattr(component.st, "session_state", {})
    given["on_pick_change"]()
    assert picked == [("select", 9), ("replace", 0)]


def test_another_selected_token_forgets_the_replaced_one(monkeypatch: pytest.MonkeyPatch) -> None:
    state: dict[str, Any] = {}
    chosen: list[int | None] = []
    monkeypatch.setattr(controls.st, "session_state", state)
    monkeypatch.setattr(controls.session, "select_token", chosen.append)
    controls.on_pick("replace", 4)
    assert controls.replaced() == 4
    controls.on_pick("select", 7)
    assert controls.replaced() is None
    assert chosen == [7]
