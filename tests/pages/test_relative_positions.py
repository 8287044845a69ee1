"""The Relative positions page, control by control, without a browser."""

import json
from pathlib import Path

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

import txlviz
from txlviz.analysis.layer_inputs import layer_inputs
from txlviz.analysis.shift_window import shift_window
from txlviz.recorded import RecordError
from txlviz.ui import models
from txlviz.ui.positions.words import prose

ROOT = Path(__file__).parents[2]
PRESET = "wikitext2-4l"
TEXT = "The river rises in the hills and flows past the old mill, which Thomas Calder built. The river is wide."


@pytest.fixture(scope="module")
def xl():
    return txlviz.load(ROOT / "checkpoints" / PRESET / "xl")


@pytest.fixture
def page():
    at = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60)
    at.session_state["text"] = TEXT
    at.switch_page("pages/relative_positions.py").run()
    at.slider(key="L").set_value(8)
    at.slider(key="M").set_value(16).run()
    assert not at.exception
    return at


def sent(at, name):
    """What the components of a kind were given."""
    assert not at.exception
    return [one.proto for one in at.get("bidi_component") if one.proto.component_name == name]


def stepper(at):
    (one,) = sent(at, "txlviz_shift_stepper")
    return json.loads(one.json)


def said(at):
    return "\n".join(one.value for one in at.markdown)


def opened(at, fold):
    at.session_state[f"positions_fold_{fold}"] = True
    at.run()
    return at


def expect_window(at, xl, layer, head, last, n_queries, n_keys, L=8, M=16, text=TEXT):
    found = stepper(at)
    window = shift_window(xl, layer_inputs(xl, text, L, M), layer, head, last, n_queries, n_keys)
    assert (found["L"], found["K"], found["firstKey"]) == (n_queries, n_keys, window.first_key)
    assert found["values"] == window.steps.matrices[1].ravel().tolist()
    assert found["agree"] is True


def test_it_opens_with_what_to_try_and_steps_at_the_last_token(page, xl):
    assert page.title[0].value == "How far, not where"
    assert page.markdown[0].value.startswith("**Step through the shift")
    expect_window(page, xl, 0, 3, len(xl.encode(TEXT)), 4, 7)
    assert stepper(page)["strip"] == {"L": 8, "M": 16}
    assert stepper(page)["projections"] == [24, 8 * 24]


@pytest.mark.parametrize(("queries", "extra"), [(3, 0), (6, 6), (6, 0)])
def test_the_window_can_be_made_smaller_and_larger(page, xl, queries, extra):
    page.slider(key="positions_queries").set_value(queries)
    page.slider(key="positions_keys").set_value(extra).run()
    expect_window(page, xl, 0, 3, len(xl.encode(TEXT)), queries, queries + extra)


def test_layer_and_head_can_be_chosen(page, xl):
    page.selectbox(key="positions_layer").set_value(3)
    page.selectbox(key="positions_head").set_value(2).run()
    expect_window(page, xl, 2, 1, len(xl.encode(TEXT)), 4, 7)
    assert page.query_params["layer"] == "3"
    page.button_group(key="preset").set_value("wikitext2-2l").run()  # it has no third layer
    assert not page.exception
    assert page.selectbox(key="positions_layer").value == 2


def test_the_place_is_the_selected_token_of_all_pages(page, xl):
    place = page.slider(key="positions_place")
    assert (place.min, place.max) == (6, len(xl.encode(TEXT)))
    place.set_value(12).run()
    expect_window(page, xl, 0, 3, 12, 4, 7)
    assert page.query_params["token"] == "12"
    assert page.session_state["selected_token"] == 12
    page.slider(key="positions_place").set_value(6).run()
    expect_window(page, xl, 0, 3, 6, 4, 7)


@pytest.mark.parametrize(("L", "M"), [(8, 0), (256, 512)])
def test_the_strip_changes_the_computation_and_the_count(page, xl, L, M):
    page.slider(key="L").set_value(L)
    page.slider(key="M").set_value(M).run()
    expect_window(page, xl, 0, 3, len(xl.encode(TEXT)), 4, 7, L, M)
    assert stepper(page)["projections"] == [L + M, L * (L + M)]


@pytest.mark.parametrize("text", ["x", "ab", "A river.", "<b>**$x$**</b> [a](b)", "你好，世界", "\x00\x01"])
def test_short_and_odd_texts_have_a_page(page, xl, text):
    page.text_area(key="text").set_value(text).run()
    places = len(xl.encode(text)) + 1
    K = min(7, places)
    expect_window(page, xl, 0, 3, places - 1, min(4, K), K, text=text)
    for fold in ("collide", "rewrite", "sinusoids"):
        opened(page, fold)
        assert not page.exception
    assert "<b>" not in said(page)
    assert ("read English only" in said(page)) == (text == "你好，世界")


def test_an_empty_text_keeps_the_last_one(page, xl):
    page.text_area(key="text").set_value("  ").run()
    assert "empty" in page.warning[0].value
    expect_window(page, xl, 0, 3, len(xl.encode(TEXT)), 4, 7)


def test_the_losses_of_the_text_are_the_apis(page, xl):
    vanilla = txlviz.load(ROOT / "checkpoints" / PRESET / "vanilla")
    ours, theirs = (
        txlviz.trace(xl, TEXT, 8, 16, record=[]).losses.mean(),
        txlviz.trace(vanilla, TEXT, 8, record=[]).losses.mean(),
    )
    assert f"Transformer-XL {ours:.2f}, vanilla {theirs:.2f} nats" in said(page)


def test_folded_parts_are_computed_when_they_are_opened(page):
    assert not sent(page, "txlviz_term_table")
    opened(page, "collide")
    assert len(sent(page, "txlviz_term_table")) == 1
    opened(page, "rewrite")
    assert len(sent(page, "txlviz_term_table")) == 2


def test_the_collision_says_which_terms_are_equal(page, xl):
    (table,) = sent(opened(page, "collide"), "txlviz_term_table")
    far, near, verdict = json.loads(table.json)["rows"]
    last = len(xl.encode(TEXT))
    assert f"at {last - 8}, number {last % 8}, 8 back" in far["label"]
    assert [verdict["values"][term] for term in "abcd"] == ["differ", "equal", "differ", "equal"]
    vanilla = txlviz.load(ROOT / "checkpoints" / PRESET / "vanilla")
    run = txlviz.trace(vanilla, TEXT, 8)
    for term in "abcd":
        values = run.segments[last // 8].layers[0].terms[term]
        expected = float(values[3, last % 8, last % 8]) / np.sqrt(run.d_head)
        assert near["values"][term] == pytest.approx(expected, abs=1e-4)
    assert far["values"]["d"] == near["values"]["d"]


def test_without_a_segment_before_there_is_a_sentence_instead(page):
    page.slider(key="positions_place").set_value(7).run()
    opened(page, "collide")
    assert page.info[0].value == prose("collide_one")
    assert not sent(page, "txlviz_term_table")


def test_the_rewrite_follows_its_key(page, xl):
    opened(page, "rewrite")
    page.slider(key="positions_place").set_value(21).run()
    page.slider(key="positions_back").set_value(5).run()
    (table,) = sent(page, "txlviz_term_table")
    rows = json.loads(table.json)["rows"]
    run = txlviz.trace(xl, TEXT, 8, 16, record=[2])
    segment = run.segments[2]
    cell = (3, 5, 16 - segment.first_key)
    for term, value in rows[3]["values"].items():
        assert value == pytest.approx(float(segment.layers[0].terms[term][cell]) / np.sqrt(run.d_head), abs=1e-4)
    assert rows[3]["total"] == pytest.approx(sum(rows[3]["values"].values()))
    assert [row["values"] for row in rows[1:3]] == [{}, {}]  # no one trained these
    assert {row["total"] for row in rows[1:3]} == {"not a model"}
    page.slider(key="positions_place").set_value(16).run()  # the first of its segment sees only itself
    assert not page.exception
    assert "row 0, its distance" in said(page)


def test_a_record_of_other_weights_is_not_shown(page, monkeypatch):
    def refuse(preset, file):
        raise RecordError(f"{preset}/{file}: it was recorded with other weights")

    monkeypatch.setattr(models, "recorded", refuse)
    page.run()
    assert page.warning[0].value == prose("no_record")
    assert "other weights" in page.code[0].value


def test_an_address_sets_the_controls():
    at = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60)
    at.query_params.update({"layer": "2", "head": "3", "queries": "5", "keys": "99", "token": "20"})
    at.switch_page("pages/relative_positions.py").run()
    found = stepper(at)
    assert (found["L"], found["K"], found["firstKey"]) == (5, 11, 10)
    assert (at.selectbox(key="positions_layer").value, at.selectbox(key="positions_head").value) == (2, 3)
