"""The weights that follow from the scores, and the two paths of an attention layer."""

from __future__ import annotations

import math

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor
from torch.testing import assert_close

from tests.models.small import (
    Keep,
    attentions,
    config,
    either,
    in_segments,
    inputs_of,
    random_ids,
    random_tensor,
    randomised,
    xl,
)
from txlviz.models.attention import RelativeAttention, sdpa_weights
from txlviz.models.positions import distances, sinusoids

KINDS = ["xl", "vanilla"]


@pytest.mark.parametrize("n_keys", [1, 3, 4, 5, 8, 19])
def test_the_weights_of_sdpa_are_the_softmax_of_its_scores(n_keys: int) -> None:
    q, k = random_tensor(2, 3, 5, 4), random_tensor(2, 3, n_keys, 4, seed=1)
    mask = random_tensor(2, 3, 5, n_keys, seed=2)
    mask[..., 1:, n_keys // 2 + 1 :] = -math.inf
    expected = (q @ k.transpose(-1, -2) * 0.7 + mask).softmax(-1)
    assert_close(sdpa_weights(q, k, mask, causal=False, scale=0.7), expected, atol=1e-6, rtol=0)


def test_the_weights_of_causal_sdpa_are_the_softmax_over_the_past() -> None:
    q, k = random_tensor(2, 3, 6, 4), random_tensor(2, 3, 6, 4, seed=1)
    scores = (q @ k.transpose(-1, -2) * 0.7).masked_fill(torch.ones(6, 6, dtype=torch.bool).triu(1), -math.inf)
    assert_close(sdpa_weights(q, k, None, causal=True, scale=0.7), scores.softmax(-1), atol=1e-6, rtol=0)


def test_the_weights_of_sdpa_times_v_are_its_output() -> None:
    q, k, v = (random_tensor(2, 3, 7, 4, seed=seed) for seed in range(3))
    weights = sdpa_weights(q, k, None, causal=True, scale=0.5)
    assert_close(weights @ v, F.scaled_dot_product_attention(q, k, v, is_causal=True, scale=0.5), atol=1e-6, rtol=0)


@pytest.mark.parametrize("kind", KINDS)
def test_the_rebuilt_weights_are_the_ordinary_ones_and_sum_to_one(kind: str) -> None:
    model, ids, recorder = either(kind), random_ids(2, 12), Keep()
    with torch.no_grad():
        _, memory = in_segments(model, [ids[:, :7]])
        model(ids[:, 7:], memory, recorder=recorder)
    assert [record.layer for record in recorder.layers] == [0, 1]
    for record in recorder.layers:
        assert_close(record.rebuilt, record.ordinary, atol=1e-5, rtol=0)
        for weights in (record.rebuilt, record.ordinary):
            assert_close(weights.sum(-1), torch.ones(weights.shape[:-1]), atol=1e-6, rtol=0)
            assert (weights[..., ~record.visible] == 0).all()
            assert (weights[..., record.visible] > 0).all()


@pytest.mark.parametrize("kind", KINDS)
def test_a_recorder_that_returns_the_weights_changes_no_output(kind: str) -> None:
    model, ids = either(kind), random_ids(2, 9)
    with torch.no_grad():
        plain = model(ids)
        for recorder in (Keep(), Keep(choose=lambda record: record.ordinary)):
            assert_close(model(ids, recorder=recorder).hidden, plain.hidden, atol=1e-5, rtol=0)


@pytest.mark.parametrize("kind", KINDS)
def test_the_layer_goes_on_with_the_weights_that_the_recorder_returns(kind: str) -> None:
    model, ids = either(kind, n_layers=1), random_ids(1, 5)
    only_itself = Keep(choose=lambda record: torch.eye(5).expand_as(record.scores))
    with torch.no_grad():
        hidden = model(ids, recorder=only_itself).hidden
        changed = model(ids.flip(1), recorder=only_itself).hidden
        assert not torch.allclose(hidden, model(ids).hidden, atol=1e-2)
    if kind == "xl":  # without positions and neighbours a token is alone
        assert_close(hidden, changed.flip(1), atol=1e-6, rtol=0)


def test_queries_are_computed_for_the_segment_only_and_positions_once_a_layer() -> None:
    model = xl(mem_len=6)
    layers = attentions(model)
    with torch.no_grad():
        memory = model(random_ids(3, 6)).memory
        with inputs_of(layer.w_q for layer in layers) as q, inputs_of(layer.w_r for layer in layers) as r:
            model(random_ids(3, 4), memory)
    assert [inputs[0].shape for inputs in q] == [(3, 4, 16)] * 2
    assert [inputs[0].shape for inputs in r] == [(10, 16)] * 2


@pytest.mark.parametrize("longest", [None, 2])
def test_the_gradients_are_the_finite_differences(longest: int | None) -> None:
    attention = randomised(RelativeAttention(config(d_model=4, d_inner=4), 0)).double()
    h, memory = random_tensor(2, 3, 4, dtype=torch.float64), random_tensor(2, 2, 4, seed=1, dtype=torch.float64)
    R = sinusoids(distances(5), 4).double()
    u, v = (random_tensor(2, 2, seed=seed, dtype=torch.float64) for seed in (2, 3))

    def run(h: Tensor, u: Tensor, v: Tensor, *_: Tensor) -> Tensor:
        out: Tensor = attention(h, memory, R, u, v, longest)
        return out

    inputs = [x.requires_grad_() for x in (h, u, v)]
    assert torch.autograd.gradcheck(run, (*inputs, *attention.parameters()), fast_mode=True)
