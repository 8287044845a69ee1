"""Each module against attention by loops, against its own mask, and with the weights of the vanilla model."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.testing import assert_close

from tests.models.attentions.dense import SMALL, WHOLE, attention, by_loops
from tests.models.small import Keep, config, random_ids, random_tensor, randomised, vanilla
from txlviz.analysis.attention_timing import LiveBytes
from txlviz.models.attentions import SYSTEMS, LinformerAttention
from txlviz.models.attentions.full import TwoSidedAttention
from txlviz.models.block import Block

MASKED = ("longformer-causal", "longformer", "bigbird")
SIZES: dict[str, Any] = {
    "plain": {},
    "nothing global": {"n_global": 0, "n_global_blocks": 0, "n_random_blocks": 0},
    "no window": {"window": 0, "window_blocks": 1},
    "window wider than the text": {"window": 50, "window_blocks": 21, "block": 16},
    "all global": {"n_global": 50, "n_global_blocks": 50},
    "many random": {"block": 1, "n_random_blocks": 5},
}


@pytest.mark.parametrize("sizes", SIZES)
@pytest.mark.parametrize("name", [one for one in WHOLE if one != "linformer"])
def test_it_is_attention_over_the_pairs_of_its_mask(name: str, sizes: str) -> None:
    wanted, n = replace(SMALL, **SIZES[sizes]), 13
    h, module = random_tensor(2, n, 16, dtype=torch.float64), attention(name, n, wanted)
    with torch.no_grad():
        expected = by_loops(module, h, SYSTEMS[name].visible(n, wanted).tolist())
        assert_close(module(h), expected, atol=1e-12, rtol=1e-10)
        recorder = Keep()
        assert_close(module(h, None, recorder), expected, atol=1e-12, rtol=1e-10)
    assert_close(recorder.layers[0].rebuilt, recorder.layers[0].ordinary, atol=1e-12, rtol=0)


def test_two_sided_attention_sees_every_pair() -> None:
    h = random_tensor(2, 7, 16, dtype=torch.float64)
    module = randomised(TwoSidedAttention(config("vanilla"), 0), std=0.4).double()
    assert module.visible(7).all()
    with torch.no_grad():
        expected = by_loops(module, h, [[True] * 7] * 7)
        assert_close(module(h), expected, atol=1e-12, rtol=1e-10)
        assert_close(module(h, None, Keep()), expected, atol=1e-12, rtol=1e-10)


@settings(max_examples=60, deadline=None)
@given(
    name=st.sampled_from(MASKED),
    n=st.integers(1, 70),
    window=st.integers(0, 20),
    n_global=st.integers(0, 4),
    block=st.integers(1, 9),
    sides=st.integers(0, 2),
    n_random=st.integers(0, 3),
    dtype=st.sampled_from([torch.float32, torch.float64]),
)
def test_the_sparse_path_equals_the_written_out_one(
    name: str, n: int, window: int, n_global: int, block: int, sides: int, n_random: int, dtype: torch.dtype
) -> None:
    wanted = replace(
        SMALL,
        window=window,
        n_global=n_global,
        block=block,
        window_blocks=2 * sides + 1,
        n_global_blocks=n_global,
        n_random_blocks=n_random,
    )
    module, h = attention(name, n, wanted, dtype), random_tensor(2, n, 16, seed=n, dtype=dtype)
    q, k, values = module.project(h, h)
    scores = (q @ k.transpose(-1, -2)).double() * module.scale
    weights = scores.masked_fill(~module.visible(n), -torch.inf).softmax(-1)
    exact = 1e-5 if dtype == torch.float32 else 1e-12
    with torch.no_grad():
        assert_close(module.attended(q, k, values).double(), weights @ values.double(), atol=exact, rtol=exact)
        found = module.weights(q, k)
    assert_close(found.double(), weights, atol=exact, rtol=exact)
    assert (found[..., ~module.visible(n)] == 0).all()


@pytest.mark.parametrize("name", MASKED)
def test_no_n_by_n_matrix_is_made(name: str) -> None:
    peaks = []
    for n in (1024, 2048, 4096):
        module, h = attention(name, n, dtype=torch.float32), random_tensor(1, n, 16)
        with torch.no_grad(), LiveBytes() as counted:
            module(h)
        peaks.append(counted.peak)
    assert peaks[1] / peaks[0] < 2.2
    assert peaks[2] / peaks[1] < 2.2
    assert peaks[2] < 4096 * 4096 * 4


@pytest.mark.parametrize("n", [6, 9])
def test_linformer_is_equation_7_by_loops(n: int) -> None:
    """Score of query i for projected key r: q_i · (sum of E[r, j] k_j over j) / sqrt(E); n = 6 uses 6 of 9 columns."""
    h = random_tensor(2, n, 16, dtype=torch.float64)
    module = attention("linformer", n, replace(SMALL, longest=9))
    assert module.E.shape == module.F.shape == (4, 9)
    W_q, (W_k, W_v), W_o = module.w_q.weight, module.w_kv.weight.chunk(2), module.w_o.weight
    out = torch.zeros_like(h)
    with torch.no_grad():
        for b in range(2):
            for i in range(n):
                heads = []
                for rows in (slice(0, 8), slice(8, 16)):
                    keys = [sum(module.E[r, j] * (W_k[rows] @ h[b, j]) for j in range(n)) for r in range(4)]
                    values = [sum(module.F[r, j] * (W_v[rows] @ h[b, j]) for j in range(n)) for r in range(4)]
                    scores = torch.stack([(W_q[rows] @ h[b, i]) @ key / 8**0.5 for key in keys])
                    heads.append(sum(p * value for p, value in zip(scores.softmax(0), values, strict=True)))
                out[b, i] = W_o @ torch.cat(heads)
        assert_close(module(h), out, atol=1e-12, rtol=1e-10)
        recorder = Keep()
        assert_close(module(h, None, recorder), out, atol=1e-12, rtol=1e-10)
        _, _, values = module.project(h, h)
        weights = recorder.layers[0].rebuilt
        assert weights.shape == (2, 2, n, 4)
        mixed = module.by_token(weights, n) @ values
        assert_close(module.w_o(mixed.transpose(1, 2).flatten(2)), out, atol=1e-12, rtol=1e-10)


def test_linformer_reads_a_shorter_text_as_one_filled_with_zeros() -> None:
    h, module = random_tensor(1, 6, 16, dtype=torch.float64), attention("linformer", 9)
    with torch.no_grad():
        filled = module(torch.cat([h, torch.zeros(1, 3, 16, dtype=torch.float64)], dim=1))
        assert_close(module(h), filled[:, :6], atol=1e-14, rtol=0)


def test_linformer_reads_no_longer_text() -> None:
    module = attention("linformer", 9)
    with pytest.raises(ValueError, match="10 tokens is too long: the projections were made for 9"):
        module(random_tensor(1, 10, 16, dtype=torch.float64))
    with pytest.raises(ValueError, match="too long"):
        module.visible(10)


def test_linformers_projections_follow_the_seed_and_leave_the_global_one() -> None:
    torch.manual_seed(5)
    state = torch.random.get_rng_state()
    made = [LinformerAttention(config("vanilla"), 0, rank=8, longest=300, seed=seed).E.detach() for seed in (0, 0, 1)]
    assert torch.equal(made[0], made[1])
    assert not torch.equal(made[0], made[2])
    assert made[0].std() == pytest.approx((1 / 308) ** 0.5, rel=0.05)
    torch.random.set_rng_state(state)
    with pytest.raises(ValueError, match="at least 1"):
        LinformerAttention(config("vanilla"), 0, rank=0, longest=5)


@pytest.mark.parametrize("name", WHOLE)
def test_a_block_takes_it_with_the_vanilla_models_weights(name: str) -> None:
    model, n = vanilla(n_layers=1), 9
    module = SYSTEMS[name].attention(model.config, 0, SMALL, n)
    block = Block(model.config, module)
    missing, unexpected = block.load_state_dict(model.blocks[0].state_dict(), strict=False)
    assert not unexpected
    assert missing == (["attention.E", "attention.F"] if name == "linformer" else [])
    model.blocks[0] = block.eval()
    with torch.no_grad():
        recorder = Keep()
        ordinary, traced = model(random_ids(2, n)).hidden, model(random_ids(2, n), recorder=recorder).hidden
    assert_close(ordinary, traced, atol=2e-5, rtol=1e-4)
    assert (recorder.layers[0].terms is None) == (name == "linformer")


@pytest.mark.parametrize("name", WHOLE)
def test_gradients_reach_every_parameter_and_none_is_nan(name: str) -> None:
    module, h = attention(name, 13), random_tensor(2, 13, 16, dtype=torch.float64).requires_grad_()
    module(h).square().sum().backward()
    for tensor in (h, *module.parameters()):
        assert tensor.grad is not None
        assert bool(tensor.grad.isfinite().all())
        assert tensor.grad.abs().max() > 0


@pytest.mark.parametrize("name", MASKED)
def test_dropout_is_on_in_training_only(name: str) -> None:
    module, h = attention(name, 13, attention_dropout=0.5), random_tensor(1, 13, 16, dtype=torch.float64)
    with torch.no_grad():
        assert torch.equal(module(h), module(h))
        module.train()
        assert not torch.equal(module(h), module(h))
