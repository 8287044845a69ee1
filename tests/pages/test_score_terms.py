"""The Score terms page, control by control, without a browser."""

from pathlib import Path

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

import txlviz
from txlviz.figures.payload import unpack

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
    at.switch_page("pages/score_terms.py").run()
    at.slider(key="L").set_value(8)
    at.slider(key="M").set_value(16).run()
    assert not at.exception
    return at


def figures(at):
    """What the components were given: (header, arrays) each."""
    assert not at.exception
    return [unpack(one.proto.bytes) for one in at.get("bidi_component") if one.proto.component_name == "txlviz_score_maps"]


def said(at):
    return "\n".join(one.value for one in at.markdown)


def expect_head(at, run, layer, head):
    header, arrays = figures(at)[0]
    record = run.segments[header["segment"]].layers[layer]
    assert (header["layer"], header["head"]) == (layer, head)
    np.testing.assert_array_equal(arrays["weights"], record.weights[head])
    np.testing.assert_allclose(arrays["b"], record.terms["b"][head] / np.sqrt(run.d_head) * record.visible, atol=1e-6)


def test_it_opens_with_what_to_try_and_shows_the_second_segment(page, xl):
    assert page.title[0].value == "Why does it look there?"
    assert page.markdown[0].value.startswith("**Walk the query")
    run = txlviz.trace(xl, TEXT, 8, 16, record=[1])
    header, arrays = figures(page)[0]
    assert header["inputs"] == run.inputs
    assert header["segment"] == 1
    assert header["selected"] == 10
    assert arrays["score"].shape == (8, 16)
    expect_head(page, run, 0, 0)


def test_layer_and_head_can_be_chosen(page, xl):
    page.selectbox(key="layer").set_value(3)
    page.selectbox(key="head").set_value(4).run()
    expect_head(page, txlviz.trace(xl, TEXT, 8, 16, record=[1]), 2, 3)


def test_a_segment_can_be_chosen_and_keeps_the_place_in_it(page, xl):
    page.selectbox(key="segment").set_value(3).run()
    header, arrays = figures(page)[0]
    assert (header["segment"], header["selected"], header["start"]) == (2, 18, 16)
    assert arrays["score"].shape == (8, 24)


def test_the_last_segment_may_be_short(page):
    segments = page.selectbox(key="segment")
    segments.set_value(len(segments.options)).run()
    header, arrays = figures(page)[0]
    assert arrays["score"].shape[0] == len(header["inputs"]) - header["start"] <= 8


@pytest.mark.parametrize(("L", "M"), [(8, 0), (16, 8), (256, 512)])
def test_the_sliders_change_the_computation(page, xl, L, M):
    page.slider(key="L").set_value(L)
    page.slider(key="M").set_value(M).run()
    header, _ = figures(page)[0]
    assert header["start"] - header["firstKey"] == min(M, header["start"])
    expect_head(page, txlviz.trace(xl, TEXT, L, M, record=[header["segment"]]), 0, 0)


def test_the_other_models_are_shown_too(page):
    page.selectbox(key="layer").set_value(4).run()
    page.button_group(key="preset").set_value("wikitext2-2l").run()
    header, arrays = figures(page)[0]
    assert header["preset"] == "wikitext2-2l"
    assert header["layer"] < arrays["thumbs"].shape[0] == 2


@pytest.mark.parametrize("everywhere", [False, True])
def test_without_a_term_the_model_runs_again_and_the_loss_is_the_apis(page, xl, everywhere):
    page.selectbox(key="layer").set_value(2).run()
    page.button_group(key="terms_on").set_value(["a", "c", "d"]).run()
    if everywhere:
        page.toggle(key="everywhere").set_value(True).run()
    ordinary = txlviz.trace(xl, TEXT, 8, 16, record=[])
    changed = txlviz.trace(xl, TEXT, 8, 16, without="b", layer=None if everywhere else 1, record=[1])
    assert f"{ordinary.losses.mean():.3f} → {changed.losses.mean():.3f} nats" in said(page)
    assert f"{ordinary.losses[10]:.3f} → {changed.losses[10]:.3f}" in said(page)
    assert ("in all layers" if everywhere else "in layer 2") in said(page)
    expect_head(page, changed, 1, 0)


def test_with_all_terms_on_no_loss_is_compared(page):
    assert "mean loss" not in said(page)


def test_all_terms_can_be_off(page):
    page.button_group(key="terms_on").set_value([]).run()
    _, arrays = figures(page)[0]
    assert not arrays["score"].any()
    assert "(a), (b), (c), (d)" in said(page)


def test_rows_can_be_centred(page):
    page.toggle(key="centred").set_value(True).run()
    header, arrays = figures(page)[0]
    assert header["centred"]
    np.testing.assert_allclose(arrays["a"].sum(axis=1), 0, atol=1e-5)


def test_the_vanilla_first_layer_stands_beside_on_the_same_scale(page):
    page.toggle(key="vanilla").set_value(True).run()
    (ours, _), (theirs, arrays) = figures(page)
    assert theirs["kind"] == "vanilla"
    assert ours["limit"] == theirs["limit"]
    assert ours["weightLimit"] == theirs["weightLimit"]
    assert (theirs["layer"], theirs["segment"]) == (0, 1)
    vanilla = txlviz.load(ROOT / "checkpoints" / PRESET / "vanilla")
    record = txlviz.trace(vanilla, TEXT, 8, 0, record=[1]).segments[1].layers[0]
    np.testing.assert_array_equal(arrays["weights"], record.weights[0])
    assert "no exact split" in said(page)
    assert "this model is whole" not in said(page)
    page.button_group(key="terms_on").set_value(["a"]).run()
    assert "this model is whole" in said(page)


def test_the_stripes_are_named_and_revealed(page):
    page.button_group(key="terms_on").set_value(["a"]).run()
    page.toggle(key="centred").set_value(True)
    page.toggle(key="quiz").set_value(True).run()
    header, arrays = figures(page)[0]
    order = [one["name"] for one in header["maps"][:4]]
    assert sorted(order) == list("abcd") != order
    assert header["quiz"]
    assert not header["centred"], "centred, (c) isn't constant down a column"
    assert "mean loss" not in said(page)
    seen = np.arange(8)[:, None] + 8 >= np.arange(16)
    assert all(np.ptp(arrays["c"][seen[:, j], j]) < 1e-6 for j in range(16))

    page.selectbox(key="layer").set_value(2).run()
    assert [one["name"] for one in figures(page)[0][0]["maps"][:4]] == order, "the order holds"
    for n, term in enumerate(order):
        page.selectbox(key=f"stripes_{n + 1}").set_value(term if n else order[1])
    page.button(key="reveal").click().run()
    assert "3 of 4 right" in said(page)
    assert page.selectbox(key="stripes_1").label == f"Map 1: ✗ it is ({order[0]})"
    assert page.selectbox(key="stripes_2").label == "Map 2: ✓ right"
    assert page.selectbox(key="stripes_1").value == order[1]
    assert not figures(page)[0][0]["quiz"]
    page.button(key="reveal").click().run()
    assert [one["name"] for one in figures(page)[0][0]["maps"][:4]] != order
    assert page.selectbox(key="stripes_1").value is None


ODD = {
    "one_token": "a",
    "html": "<b>bold</b> <script>alert(1)</script> &amp; </div>",
    "markdown": "**not bold** [a link](http://example.org) :red[red] # heading\n- item $x^2$ \\frac{1}{2}",
    "unk": "the <unk> of <unk>",
    "emoji": "👩‍👩‍👧 went home 🎉",
    "arabic": "مرحبا بالعالم، كيف حالك",
    "chinese": "今天天气很好，我们去公园。",
    "control": "a\x00b\x01c\x7f\u200b\u202ed",
    "braces": "{query} {0} {}",
    "long": "The river rises in the hills. " * 90,
}


@pytest.mark.parametrize("text", ODD.values(), ids=ODD)
def test_odd_texts_are_shown_as_typed_and_never_as_markdown(page, xl, text):
    page.text_area(key="text").set_value(text)
    page.toggle(key="vanilla").set_value(True)
    page.button_group(key="terms_on").set_value(["a"]).run()
    header, _ = figures(page)[0]
    assert header["inputs"] == txlviz.trace(xl, text, 8, 0, record=[]).inputs
    shown = [one for one in said(page).splitlines() if any(line and line in one for line in text.splitlines() if len(line) > 4)]
    assert shown == []


def test_a_selected_token_from_the_address_chooses_the_segment():
    at = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60)
    at.query_params["text"] = TEXT
    at.query_params["token"] = "20"
    at.run()
    at.switch_page("pages/score_terms.py").run()
    at.slider(key="L").set_value(8).run()
    header, _ = figures(at)[0]
    assert (header["segment"], header["selected"]) == (2, 20)


def test_the_address_brings_and_keeps_what_is_shown():
    at = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60)
    given = {"text": TEXT, "layer": "2", "head": "3", "terms": "ac", "everywhere": "1", "centred": "1", "vanilla": "1"}
    for name, value in given.items():
        at.query_params[name] = value
    at.switch_page("pages/score_terms.py").run()
    ours, _theirs = figures(at)
    header = ours[0]
    assert (header["layer"], header["head"], header["centred"]) == (1, 2, True)
    assert [term["off"] for term in header["terms"]] == [False, True, False, True]
    assert "(b), (d) in all layers" in said(at)
    at.button_group(key="terms_on").set_value([]).run()
    at.selectbox(key="layer").set_value(1).run()
    assert at.query_params["terms"] == "0"
    assert at.query_params["head"] == "3"
    assert "layer" not in at.query_params, "the default"


@pytest.mark.parametrize(
    "address", [{"layer": "99", "head": "x"}, {"layer": "-1", "terms": "<b>"}, {"centred": "yes", "head": ""}]
)
def test_a_made_up_address_is_put_right(address):
    at = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60)
    for name, value in address.items():
        at.query_params[name] = value
    at.switch_page("pages/score_terms.py").run()
    header, arrays = figures(at)[0]
    assert 0 <= header["layer"] < arrays["thumbs"].shape[0]
    assert 0 <= header["head"] < arrays["thumbs"].shape[1]


@pytest.mark.parametrize("stale", ["Segment 3 of 5", "Segment 99", 99, 0, -1, None, True, 2.0])
def test_a_stale_choice_is_left_aside(stale):
    """Options that change under an event: their old label comes back from the browser as it is."""
    at = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60)
    for key in ("segment", "layer", "head"):
        at.session_state[key] = stale
    at.switch_page("pages/score_terms.py").run()
    header, _ = figures(at)[0]
    assert (header["segment"], header["layer"], header["head"]) == (1, 0, 0)
