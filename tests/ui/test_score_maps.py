"""What the component is given equals what the Python API says."""

import dataclasses
import re
from pathlib import Path

import numpy as np
import pytest

import txlviz
from txlviz.figures.payload import unpack
from txlviz.ui.score_maps import component, controls, loss, view
from txlviz.ui.score_maps.labels import labels
from txlviz.ui.score_maps.quiz import Quiz

ROOT = Path(__file__).parents[2]
TEXT = "The river rises in the hills and flows past the old mill, which Thomas Calder built. The river is <b>wide</b> & $deep$."
L, M = 8, 12


@pytest.fixture(scope="module")
def xl():
    return txlviz.load(ROOT / "checkpoints/wikitext2-2l/xl")


@pytest.fixture(scope="module")
def run(xl):
    return txlviz.trace(xl, TEXT, L, M, record=[2])


@pytest.fixture(scope="module")
def plain():
    return txlviz.trace(txlviz.load(ROOT / "checkpoints/wikitext2-2l/vanilla"), TEXT, L, 0, record=[2])


def shown(**changes):
    return dataclasses.replace(view.View("xl", "wikitext2-2l", segment=2, layer=1, head=3, selected=17), **changes)


def unpacked(run, what):
    maps = view.maps(run, what)
    return unpack(view.block(run, what, maps, view.limits(maps, what)))


@pytest.mark.parametrize("layer", [0, 1])
@pytest.mark.parametrize("head", [0, 3])
def test_the_block_holds_the_models_own_numbers(run, layer, head):
    header, arrays = unpacked(run, shown(layer=layer, head=head))
    record = run.segments[2].layers[layer]
    seen = record.visible
    for term in "abcd":
        np.testing.assert_allclose(arrays[term][seen], record.terms[term][head][seen] / np.sqrt(run.d_head), rtol=1e-6)
    assert (arrays["score"][seen] == record.scores[head][seen]).all()
    assert (arrays["weights"] == record.weights[head]).all()
    np.testing.assert_allclose(sum(arrays[term] for term in "abcd")[seen], arrays["score"][seen], atol=1e-5)
    assert (header["start"], header["firstKey"]) == (16, 4)
    assert arrays["score"].shape == (L, M + L)
    assert arrays["thumbs"].shape == (2, 4, L, M + L)


def test_the_places_and_tokens_are_those_of_the_trace(run):
    header, _ = unpacked(run, shown())
    assert header["inputs"] == run.inputs
    assert header["selected"] == 17
    assert header["residual"] == run.residual < header["residualLimit"] == 1e-5


def test_typed_text_stands_in_the_inputs_and_nowhere_else(run):
    header, _ = unpacked(run, shown())
    del header["inputs"]
    assert "mill" not in str(header)


def test_centred_terms_add_up_and_change_no_weight(run):
    _, raw = unpacked(run, shown())
    _, arrays = unpacked(run, shown(centred=True))
    assert (arrays["weights"] == raw["weights"]).all()
    np.testing.assert_allclose(arrays["score"].sum(axis=1), 0, atol=1e-5)
    seen = run.segments[2].layers[1].visible
    np.testing.assert_allclose(sum(arrays[term] for term in "abcd")[seen], arrays["score"][seen], atol=1e-5)


def test_a_term_that_is_off_is_shown_but_not_added(xl):
    changed = txlviz.trace(xl, TEXT, L, M, without="b", layer=1, record=[2])
    header, arrays = unpacked(changed, shown(off=("b",)))
    seen = changed.segments[2].layers[1].visible
    np.testing.assert_allclose((arrays["a"] + arrays["c"] + arrays["d"])[seen], arrays["score"][seen], atol=1e-5)
    assert np.abs(arrays["b"]).max() > 0
    assert [term["off"] for term in header["terms"]] == [False, True, False, False]
    assert next(one["title"] for one in header["maps"] if one["slot"] == "score") == "a + c + d = score"


def test_with_all_terms_off_the_weights_are_even(xl):
    changed = txlviz.trace(xl, TEXT, L, M, without="abcd", record=[2])
    header, arrays = unpacked(changed, shown(off=tuple("abcd")))
    assert not arrays["score"].any()
    np.testing.assert_allclose(arrays["weights"][0, :13], 1 / 13, rtol=1e-6)
    assert header["limit"] == 1
    assert "0 = score" in str(header["maps"])


def test_the_vanilla_first_layer_splits_and_the_next_is_refused(plain):
    what = shown(kind="vanilla", layer=0)
    header, arrays = unpacked(plain, what)
    seen = plain.segments[2].layers[0].visible
    np.testing.assert_allclose(sum(arrays[term] for term in "abcd")[seen], arrays["score"][seen], atol=1e-5)
    assert arrays["thumbs"].shape[:2] == (1, 4)
    assert header["start"] == header["firstKey"] == 16
    assert header["terms"][3]["title"] == "position to position"
    with pytest.raises(ValueError, match="no exact split"):
        view.maps(plain, shown(kind="vanilla", layer=1))


def test_a_quiz_gives_no_name_away_until_it_is_revealed(run):
    order = ("c", "a", "d", "b")
    header, _ = unpacked(run, shown(quiz=Quiz(order, revealed=False)))
    terms = header["maps"][:4]
    assert [one["name"] for one in terms] == list(order)
    assert [one["title"] for one in terms] == ["Map 1", "Map 2", "Map 3", "Map 4"]
    assert len({one["note"] for one in terms}) == 1
    assert not any("colour" in one or "diagonal" in one for one in terms)
    assert header["quiz"]
    header, _ = unpacked(run, shown(quiz=Quiz(order, revealed=True)))
    assert header["maps"][0]["title"] == "Map 1: (c) content bias"
    assert not header["quiz"]


def test_the_stamp_changes_with_the_picture_and_not_with_the_selected_query(run):
    first, _ = unpacked(run, shown())
    other_query, _ = unpacked(run, shown(selected=20))
    other_head, _ = unpacked(run, shown(head=2))
    assert first["stamp"] == other_query["stamp"] != other_head["stamp"]


def test_the_loss_is_said_with_its_change_and_ends_with_the_text(run, xl):
    changed = txlviz.trace(xl, TEXT, L, M, without="bd", record=[])
    said = loss.sentence(run, changed, 17, ("b", "d"), None)
    before, after = run.losses.mean(), changed.losses.mean()
    assert f"{before:.3f} → {after:.3f} nats" in said
    assert f"{run.losses[17]:.3f} → {changed.losses[17]:.3f}" in said
    assert "(b), (d) in all layers" in said
    last = loss.sentence(run, changed, len(run.inputs) - 1, ("b",), 1)
    assert "in layer 2" in last
    assert "after the query" not in last
    assert loss.without((), 0) == ""


# The front end: trusted code, so it must treat text as text, and stay on this machine.

SCRIPTS = sorted((Path(component.__file__).parent / "front").glob("*.js"))


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.name)
def test_scripts_write_no_html_and_call_nobody(path):
    script = path.read_text(encoding="utf-8")
    assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b|new Function|DOMParser", script)
    assert not re.search(r"\bfetch\(|XMLHttpRequest|WebSocket|sendBeacon|https?://(?!www\.w3\.org/2000/svg)", script)


def test_every_label_that_the_scripts_name_exists():
    used = {name for path in SCRIPTS for name in re.findall(r"\bwords\.(\w+)", path.read_text(encoding="utf-8"))}
    assert used - set(labels()) == set()
    assert {f"menu_{act}" for act in ("table", "png", "svg", "csv")} <= set(labels())


@pytest.fixture
def state(monkeypatch):
    """The session's state, and what was selected."""
    state = {}
    monkeypatch.setattr(controls.st, "session_state", state)
    monkeypatch.setattr(controls.session, "select_token", lambda place: state.update(selected=place))
    return state


@pytest.mark.parametrize("stale", ["Segment 3 of 5", "3", 0, 4, -1, None, True, 2.0])
def test_only_a_segment_that_is_there_is_gone_to(state, stale):
    state["segment"] = stale
    controls._go_to_segment(10, 8, 20)
    assert "selected" not in state
    state["segment"] = 3
    controls._go_to_segment(10, 8, 20)
    assert state["selected"] == 18


def test_a_vanilla_head_leaves_the_layer(state):
    state.update(layer=3, head=1)
    controls.pick_only_head(0, 2)
    assert (state["layer"], state["head"]) == (3, 3)


@pytest.mark.parametrize(
    "said", [None, "x", [], {}, {"query": "1", "key": 0}, {"query": -1, "key": 0}, {"query": True, "key": 0}, [1]]
)
def test_what_the_browser_says_is_checked(monkeypatch, said):
    heard = []
    monkeypatch.setattr(component.st, "session_state", {"maps": {"cell": said, "pick": said}})
    monkeypatch.setattr(component, "_mount", lambda **handlers: [handlers[f"on_{name}_change"]() for name in ("cell", "pick")])
    component.mount(b"", key="maps", on_cell=heard.append, on_pick=lambda *pick: heard.append(pick))
    assert heard == []
