"""The Landscape page, control by control, without a browser."""

from __future__ import annotations

import numpy as np
import pytest

import txlviz
from tests.pages.landscape_page import (
    CHECKPOINTS,
    PRESET,
    TEXT,
    N,
    cards,
    facts,
    opened,
    patterns,
    said,
    settings,
)
from tests.pages.opening import open_page
from txlviz.analysis import landscape
from txlviz.analysis.landscape_weights import weights
from txlviz.models.attentions import SYSTEMS
from txlviz.ui.landscape.reading import MOST
from txlviz.ui.landscape.words import ATTENTIONS, name


@pytest.fixture(scope="module")
def pair() -> dict[str, txlviz.Checkpoint]:
    return {kind: txlviz.load(CHECKPOINTS / PRESET / kind) for kind in ("xl", "vanilla")}


def test_it_opens_with_what_to_try_and_two_systems(pair: dict[str, txlviz.Checkpoint]) -> None:
    at = opened()
    assert at.title[0].value == "Landscape"
    assert at.markdown[0].value.startswith("**Pick two systems.**")
    first, second = patterns(at)[:2]
    assert [header["name"] for header, _ in (first, second)] == ["txlviz-xl", "txlviz-longformer-causal"]
    assert first[0]["tokens"] == pair["xl"].tokenizer.show(pair["xl"].inputs(TEXT))
    assert first[0]["shown"] == "mask"


def test_each_systems_mask_cone_and_reach_are_those_of_its_module(pair: dict[str, txlviz.Checkpoint]) -> None:
    n, place, at = len(pair["xl"].inputs(TEXT)), 17, opened(token=17, w=2, g=1, block=4, k=3)
    sizes = settings(window=2, n_global=1, block=4, rank=3)
    small = {one["id"]: one for one in cards(at)["systems"]}
    assert list(small) == list(ATTENTIONS)
    assert set(small) == set(SYSTEMS)
    for one, other in zip(ATTENTIONS[::2], ATTENTIONS[1::2], strict=True):
        at.selectbox(key="landscape_first").set_value(one)
        at.selectbox(key="landscape_second").set_value(other).run()
        for system, (header, arrays) in zip((one, other), patterns(at)[:2], strict=True):
            np.testing.assert_array_equal(arrays["kinds"] > 0, landscape.mask(system, n, sizes))
            cone = landscape.cone(system, n, sizes, N, place)
            np.testing.assert_array_equal(arrays["cone"], cone)
            assert small[system]["rows"] == ["".join(str(int(node)) for node in row) for row in cone[::-1]]
            assert header["selected"] == place
            far = place - int(cone[0].argmax())
            assert f"{far} " in small[system]["said"]
            assert ("not causal" in small[system]["said"]) == (not SYSTEMS[system].causal)
            row = next(row for row in cards(at)["rows"] if row[0] == name(system))
            reach = landscape.reach(system, n, sizes, N)
            assert row[2:4] == reach.back[:, place].tolist()
            assert row[5] == pytest.approx(float(reach.mean_back[-1]), abs=0.06)
        for system, beside in zip((one, other), facts(at)[:2], strict=True):
            assert beside["Scores a head"].startswith(f"{landscape.scores_computed(system, n, sizes):,} (")
            assert beside["Reach, 2 layers"] in small[system]["said"]


@pytest.mark.parametrize("system", ["full", "bigbird", "linformer", "longformer"])
def test_the_page_marks_what_is_not_causal(system: str) -> None:
    text = said(opened(first=system, second="segments"))
    badges = text.count("not causal]")
    assert badges == (0 if SYSTEMS[system].causal else 1)
    assert ("Sees later tokens" in text) == (system in ("bigbird", "longformer"))
    assert ("no mask can hide it" in text) == (system == "linformer")


@pytest.mark.parametrize(("one", "other"), [("xl", "linformer"), ("sliding", "bigbird")])
def test_weights_are_those_of_the_shipped_models(one: str, other: str, pair: dict[str, txlviz.Checkpoint]) -> None:
    at = opened(first=one, second=other, show="weights", layer=2, head=3, block=4, k=5)
    sizes = settings(block=4, rank=5)
    for system, (header, arrays) in zip((one, other), patterns(at)[:2], strict=True):
        expected = weights(pair["xl"], pair["vanilla"], system, TEXT, sizes, 1)[2]
        np.testing.assert_allclose(arrays["values"], expected, atol=1e-6)
        assert header["shown"] == ("signed" if system == "linformer" else "weights")
    assert "Weights of the shipped models" in said(at)
    assert ("untrained (drawn with a seed)" in said(at)) == (other == "linformer")


@pytest.mark.parametrize(
    ("first", "second", "sizes"),
    [
        ("longformer", "longformer-causal", ["window", "n_global"]),
        ("bigbird", "bigbird", ["block", "n_random_blocks"]),
        ("full", "linformer", ["rank"]),
        ("xl", "segments", []),
    ],
)
def test_a_size_has_one_slider_where_its_system_is(first: str, second: str, sizes: list[str]) -> None:
    at = opened(first=first, second=second)
    own = [one.key.removeprefix("landscape_") for one in at.slider if str(one.key).startswith("landscape_")]
    assert own == sizes


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        ({"first": "nonsense", "w": "many", "layer": "99", "what": "x"}, ("xl", 32, 2)),
        ({"first": "bigbird", "w": "9999", "layer": "-3"}, ("bigbird", 128, 1)),
    ],
)
def test_an_address_that_makes_no_sense_gets_the_nearest(address: dict[str, str], expected: tuple[str, int, int]) -> None:
    at = opened(show="weights", **address)
    assert not at.exception
    system, window, layer = expected
    assert at.selectbox(key="landscape_first").value == system
    assert at.slider(key="landscape_window").value == window
    assert at.selectbox(key="landscape_layer").value == layer


def test_the_address_keeps_what_was_chosen() -> None:
    at = opened()
    at.selectbox(key="landscape_second").set_value("bigbird").run()
    at.slider(key="landscape_block").set_value(5)
    at.segmented_control(key="landscape_show").set_value("weights").run()
    assert {key: at.query_params[key] for key in ("second", "block", "show")} == {
        "second": "bigbird",
        "block": "5",
        "show": "weights",
    }
    assert "first" not in at.query_params


def test_what_was_chosen_outlives_another_page() -> None:
    at = opened()
    at.slider(key="landscape_window").set_value(9).run()
    at.selectbox(key="landscape_second").set_value("bigbird").run()
    assert not [one for one in at.slider if one.key == "landscape_window"]  # a size is where its system is
    at.slider(key="landscape_block").set_value(5).run()
    at.switch_page("pages/start.py").run()
    at.switch_page("pages/landscape.py").run()
    assert not at.exception
    assert at.selectbox(key="landscape_second").value == "bigbird"
    assert at.slider(key="landscape_block").value == 5
    assert (at.query_params["block"], at.query_params["w"]) == ("5", "9")
    at.selectbox(key="landscape_first").set_value("longformer").run()
    assert at.slider(key="landscape_window").value == 9


def test_a_long_text_is_shown_around_the_selected_token(pair: dict[str, txlviz.Checkpoint]) -> None:
    long = " ".join([TEXT] * 20)
    ids = pair["xl"].inputs(long)
    for place in (3, 300, len(ids) - 1):
        at = open_page("pages/landscape.py", {}, {"text": long, "selected_token": place})
        header, arrays = patterns(at)[0]
        tokens = pair["xl"].tokenizer.show(ids)
        assert len(header["tokens"]) <= MOST
        assert arrays["kinds"].shape == (len(header["tokens"]),) * 2
        assert header["first"] + header["selected"] == place
        assert header["tokens"][header["selected"]] == tokens[place]
        assert header["tokens"][1:] == tokens[header["first"] + 1 :][: len(header["tokens"]) - 1]
        assert f"Of {len(ids):,} tokens" in said(at)


@pytest.mark.parametrize("text", ["a", "<b>*x*</b> $y$ [z](http://q) `c`", "水" * 300])
def test_odd_texts(text: str) -> None:
    at = open_page("pages/landscape.py", {"preset": "2 layers", "show": "weights", "second": "linformer"}, {"text": text})
    assert not at.exception
    assert len(patterns(at)[0][0]["tokens"]) >= 2
    assert ("English only" in said(at)) == (text[0] == "水")
    assert "<b>" not in said(at)
