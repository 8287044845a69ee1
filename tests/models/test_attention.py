"""The weights that follow from the scores, who may see whom, and the two paths of an attention layer."""

from __future__ import annotations

import math

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor
from torch.testing import assert_close

from tests.models.small import Keep, config, either, in_segments, inputs_of, random_ids, random_tensor, randomised, xl
from txlviz.models.attention import RelativeAttention, sdpa_weights, visible_keys
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


def test_visible_keys_are_the_past_and_the_query_itself() -> None:
    for i, row in enumerate(visible_keys(4, 7).tolist()):
        assert row == [j <= 3 + i for j in range(7)]


def test_visible_keys_end_at_the_longest_distance() -> None:
    for i, row in enumerate(visible_keys(4, 7, longest=2).tolist()):
        assert row == [0 <= 3 + i - j <= 2 for j in range(7)]


@pytest.mark.parametrize("mem_len", [0, 1, 3, 6])
def test_same_length_shows_each_query_its_m_predecessors_and_itself(mem_len: int) -> None:
    model, recorder = xl(same_length=True, mem_len=mem_len), Keep()
    segments = random_ids(1, 12).split(6, dim=1)
    with torch.no_grad():
        model(segments[1], model(segments[0]).memory, recorder=recorder)
    for record in recorder.layers:
        assert record.visible.shape == (6, mem_len + 6)
        for weights in (record.rebuilt, record.ordinary):
            for i in range(6):
                seen = weights[0, 0, i].nonzero().flatten().tolist()
                assert seen == list(range(i, i + mem_len + 1))


def test_same_length_without_memory_leaves_each_query_alone() -> None:
    model, ids, recorder = xl(same_length=True, mem_len=0), random_ids(1, 5), Keep()
    with torch.no_grad():
        hidden = model(ids, recorder=recorder).hidden
        assert_close(model(ids).hidden, hidden, atol=1e-5, rtol=0)
    for record in recorder.layers:
        assert torch.equal(record.rebuilt, torch.eye(5).expand_as(record.rebuilt))
        assert torch.equal(record.ordinary, torch.eye(5).expand_as(record.ordinary))


def test_same_length_follows_a_change_of_mem_len() -> None:
    model, recorder = xl(same_length=True, mem_len=6), Keep()
    model.mem_len = 2
    with torch.no_grad():
        model(random_ids(1, 8), recorder=recorder)
    assert recorder.layers[0].visible.sum(-1).tolist() == [1, 2, 3, 3, 3, 3, 3, 3]


def test_a_window_narrower_than_the_kernels_blocks_gives_numbers() -> None:
    model = xl(same_length=True, mem_len=2, n_layers=1)
    ids = random_ids(1, 1200)
    with torch.no_grad():
        hidden = model(ids).hidden
        assert_close(hidden[:, -10:], model(ids[:, -12:]).hidden[:, -10:], atol=1e-5, rtol=0)


def test_queries_are_computed_for_the_segment_only_and_positions_once_a_layer() -> None:
    model = xl(mem_len=6)
    attentions = [block.attention for block in model.blocks]
    with torch.no_grad():
        memory = model(random_ids(3, 6)).memory
        with inputs_of(a.w_q for a in attentions) as q, inputs_of(a.w_r for a in attentions) as r:  # type: ignore[misc]
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
