"""The systems over one text: counts, reach and lost pairs against loops; weights against the models' own."""

from __future__ import annotations

import numpy as np
import pytest
import torch

import txlviz
from tests.analysis.small import checkpoint
from txlviz.analysis import landscape
from txlviz.analysis.landscape import cone, connected, lost_by_distance, lost_pairs, mask, reach, scores_computed
from txlviz.analysis.landscape_weights import projected_weights, weights
from txlviz.analysis.seen import seen
from txlviz.models.attentions import SYSTEMS, Settings
from txlviz.models.attentions.swapped import swapped

XL, VANILLA = checkpoint("xl"), checkpoint("vanilla")
TEXT = "The river runs past the old mill, and the miller's daughter reads by the river."
T = len(VANILLA.inputs(TEXT))
S = Settings(segment_length=8, memory_length=5, window=4, n_global=1, block=3, rank=6, seed=1)


@pytest.mark.parametrize("name", SYSTEMS)
def test_reach_is_read_off_the_pairs_that_paths_join(name: str) -> None:
    joined, found = connected(name, T, S, 3), reach(name, T, S, 3)
    for n in range(3):
        for i in range(T):
            inputs = [j for j in range(T) if joined[n, i, j]]
            assert (found.back[n, i], found.ahead[n, i], found.inputs[n, i]) == (i - inputs[0], inputs[-1] - i, len(inputs))
    np.testing.assert_allclose(found.mean_back, found.back.sum(axis=1) / T)
    assert (found.ahead > 0).any() == (not SYSTEMS[name].causal)
    np.testing.assert_array_equal(cone(name, T, S, 3, T - 1)[0], joined[2, T - 1])


def test_reach_of_known_systems() -> None:
    assert (reach("full", 40, S, 2).back == np.arange(40)).all()
    assert (reach("segments", 40, S, 4).back == np.arange(40) % 8).all()
    assert (reach("sliding", 40, S, 4).back == np.minimum(np.arange(40), 7)).all()
    expected = [txlviz.memory_span(n, 8, 5)[n - 1, 7] for n in (1, 2, 3)]
    assert reach("xl", 80, S, 3).back[:, 71].tolist() == expected
    windows = reach("longformer-causal", 40, Settings(window=4, n_global=0), 3)
    assert windows.back[:, 39].tolist() == [4, 8, 12]
    assert (reach("linformer", 40, S, 1).inputs == 40).all()


def test_lost_pairs_by_counting() -> None:
    s = Settings(window=4, n_global=1)
    joined = connected("longformer-causal", 30, s, 3)
    by_distance = lost_by_distance("longformer-causal", 30, s, 3)
    for n in range(3):
        for d in range(30):
            lost = [not joined[n, i, i - d] for i in range(d, 30)]
            assert by_distance[n, d] == pytest.approx(sum(lost) / len(lost))
        lost = [not joined[n, i, j] for i in range(30) for j in range(30) if i - j >= 10]
        assert lost_pairs(by_distance, 10)[n] == pytest.approx(sum(lost) / len(lost))
    two_sided = lost_pairs(lost_by_distance("longformer", 30, s, 3), 10)
    assert two_sided[0] > 0.9
    assert (two_sided[1:] == 0).all(), "through the global token every pair is joined after two layers"
    assert (lost_pairs(lost_by_distance("segments", 30, S, 3), 8) == 1).all()


@pytest.mark.parametrize("name", SYSTEMS)
def test_scores_are_counted_one_by_one(name: str) -> None:
    n = 21
    if name == "linformer":
        expected = n * S.rank
    elif name == "sliding":
        expected = sum(int(mask(name, n, S, place=place).sum()) for place in range(S.segment_length - 1, n))
        assert expected == seen(n, S.segment_length, stride=1).pairs
    else:
        expected = sum(1 for i in range(n) for j in range(n) if mask(name, n, S)[i, j])
    assert scores_computed(name, n, S) == expected


@pytest.mark.parametrize("name", SYSTEMS)
@pytest.mark.parametrize("layer", [0, 2])
def test_weights_stand_on_the_mask_and_add_up(name: str, layer: int) -> None:
    found = weights(XL, VANILLA, name, TEXT, S, layer)
    assert found.shape == (3, T, T)
    if name == "linformer":
        assert (found != 0).all()
        return
    seen = mask(name, T, S, layer)
    assert (found[:, ~seen] == 0).all()
    assert (found[:, seen] > 0).all()
    np.testing.assert_allclose(found.sum(axis=-1), 1, atol=1e-5)


@pytest.mark.parametrize("layer", [0, 2])
def test_full_weights_are_those_of_a_trace_in_one_piece(layer: int) -> None:
    expected = txlviz.trace(VANILLA, TEXT, T).segments[0].layers[layer].weights
    np.testing.assert_allclose(weights(XL, VANILLA, "full", TEXT, S, layer), expected, atol=1e-6)


@pytest.mark.parametrize("layer", [0, 2])
def test_a_row_of_the_sliding_window_is_the_last_row_of_its_own_pass(layer: int) -> None:
    found = weights(XL, VANILLA, "sliding", TEXT, S, layer)
    recorder = _Kept()
    for place in range(T):
        first = max(0, place + 1 - S.segment_length)
        recorder.layers.clear()
        with torch.inference_mode():
            VANILLA.model(torch.tensor([VANILLA.inputs(TEXT)[first : place + 1]]), recorder=recorder)
        np.testing.assert_allclose(found[:, place, first : place + 1], recorder.layers[layer][0, :, -1], atol=1e-5)


class _Kept:
    def __init__(self) -> None:
        self.layers: list[torch.Tensor] = []

    def attention_weights(self, layer, terms, scores, ordinary, visible) -> torch.Tensor:  # type: ignore[no-untyped-def]
        weights: torch.Tensor = scores.softmax(-1)
        self.layers.append(weights)
        return weights


def test_the_xls_and_the_segments_weights_are_those_of_the_trace() -> None:
    for name, source, rows in (("xl", XL, S.memory_length), ("segments", VANILLA, None)):
        found = weights(XL, VANILLA, name, TEXT, S, 1)
        for segment in txlviz.trace(source, TEXT, S.segment_length, rows).segments:
            part = segment.layers[1].weights
            end = segment.start + part.shape[1]
            np.testing.assert_array_equal(found[:, segment.start : end, segment.first_key : end], part)


def test_linformers_weights_by_token_are_its_weights_times_f() -> None:
    projected = projected_weights(VANILLA, TEXT, S, 2)
    assert projected.shape == (3, T, S.rank)
    np.testing.assert_allclose(projected.sum(axis=-1), 1, atol=1e-5)
    module = SYSTEMS["linformer"].attention(VANILLA.config, 2, S, T)
    expected = projected @ module.get_parameter("F").detach().numpy()
    np.testing.assert_allclose(weights(XL, VANILLA, "linformer", TEXT, S, 2), expected, atol=1e-6)


def test_a_swapped_model_has_the_same_weights_and_leaves_the_random_state() -> None:
    state = torch.random.get_rng_state()
    made = [swapped(VANILLA.model, name, S, T) for name in ("longformer", "linformer", "linformer")]  # type: ignore[arg-type]
    assert torch.equal(torch.random.get_rng_state(), state)
    old = VANILLA.model.state_dict()
    for one in made:
        assert all(torch.equal(one.state_dict()[name], tensor) for name, tensor in old.items())
    assert torch.equal(made[1].state_dict()["blocks.1.attention.E"], made[2].state_dict()["blocks.1.attention.E"])
    assert not torch.equal(made[1].state_dict()["blocks.1.attention.E"], made[1].state_dict()["blocks.0.attention.E"])


@pytest.mark.parametrize(
    "call",
    [
        lambda: landscape.system("performer"),
        lambda: mask("full", 0, S),
        lambda: landscape.masks("full", 4, S, 0),
        lambda: lost_pairs(lost_by_distance("full", 4, S, 1), 4),
        lambda: weights(XL, VANILLA, "full", "", S, 0),
        lambda: weights(XL, VANILLA, "full", TEXT, S, 3),
        lambda: weights(XL, VANILLA, "sliding", TEXT, Settings(segment_length=0), 0),
        lambda: swapped(VANILLA.model, "xl", S, 4),
    ],
)
def test_what_makes_no_sense_is_refused(call) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(ValueError, match=r"there is no|at least 1|no pair|is empty|names no attention"):
        call()
