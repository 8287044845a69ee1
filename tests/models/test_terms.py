"""The four terms of the Transformer-XL, against the equation of section 3.3 written out for each query and key."""

from __future__ import annotations

import math

import pytest
import torch
from torch import Tensor
from torch.testing import assert_close

from tests.models.small import Keep, Recorded, attentions, in_segments, inputs_of, random_ids, xl
from txlviz.models import TERMS, Term, TransformerXL
from txlviz.models.block import Block


def sinusoid(distance: int, d_model: int) -> Tensor:
    """R_{i-j}, one number at a time."""
    angles = [distance / 10000 ** (2 * k / d_model) for k in range(d_model // 2)]
    return torch.tensor([math.sin(a) for a in angles] + [math.cos(a) for a in angles], dtype=torch.float64)


def terms_by_loops(model: TransformerXL, layer: int, h: Tensor, memory: Tensor) -> dict[Term, Tensor]:
    """(B, H, L, K) each, in float64, from the weights alone; 0 at keys in the future."""
    block = model.blocks[layer]
    assert isinstance(block, Block)
    config, weights = model.config, {name: w.detach().double() for name, w in block.attention.named_parameters()}
    heads = (config.n_heads, config.d_head)
    W_q, W_kE, W_kR = weights["w_q.weight"], weights["w_kv.weight"].chunk(2)[0], weights["w_r.weight"]
    u, v = (bias[0 if config.tie_uv else layer].detach().double() for bias in (model.u, model.v))
    h_tilde = torch.cat([memory, h], dim=1).detach().double()
    batch, n_keys, n_queries = h.shape[0], h_tilde.shape[1], h.shape[1]
    out: dict[Term, Tensor] = {t: torch.zeros(batch, config.n_heads, n_queries, n_keys, dtype=torch.float64) for t in TERMS}
    for text in range(batch):
        for row in range(n_queries):
            i = n_keys - n_queries + row
            q = (W_q @ h_tilde[text, i]).view(heads)
            for j in range(i + 1):
                distance = min(i - j, config.clamp_len) if config.clamp_len > 0 else i - j
                k = (W_kE @ h_tilde[text, j]).view(heads)
                r = (W_kR @ sinusoid(distance, config.d_model)).view(heads)
                out["a"][text, :, row, j] = (q * k).sum(-1)
                out["b"][text, :, row, j] = (q * r).sum(-1)
                out["c"][text, :, row, j] = (u * k).sum(-1)
                out["d"][text, :, row, j] = (v * r).sum(-1)
    return out


def recorded_with_memory(model: TransformerXL) -> list[Recorded]:
    """What the layers report on a segment of 4 after two of 4 and 3."""
    ids, recorder = random_ids(2, 11), Keep()
    with torch.no_grad():
        _, memory = in_segments(model, ids[:, :7].split([4, 3], dim=1))
        model(ids[:, 7:], memory, recorder=recorder)
    return recorder.layers


@pytest.mark.parametrize(
    "changes",
    [{}, {"clamp_len": 3}, {"tie_uv": True}, {"d_head": 5}, {"n_heads": 1}, {"same_length": True, "mem_len": 3}],
    ids=["plain", "clamp_len", "tie_uv", "d_head", "one head", "same_length"],
)
@pytest.mark.parametrize("with_memory", [False, True], ids=["no memory", "memory"])
def test_each_term_is_the_papers_in_every_layer(changes: dict[str, int], with_memory: bool) -> None:
    model, ids, recorder = xl(**changes), random_ids(2, 9), Keep()
    with torch.no_grad(), inputs_of(attentions(model)) as calls:
        memory = model(ids[:, :5]).memory if with_memory else None
        calls.clear()
        model(ids[:, 5:], memory, recorder=recorder)
    for record, (h, layer_memory, *_) in zip(recorder.layers, calls, strict=True):
        expected = terms_by_loops(model, record.layer, h, layer_memory)
        past = expected["b"] != 0
        assert past.any()
        for term in TERMS:
            ours = record.split[term].double()
            assert_close(ours[past], expected[term][past], atol=1e-5, rtol=1e-5)


def test_the_score_is_the_scaled_sum_of_the_terms_and_hidden_keys_have_none() -> None:
    model = xl(d_head=5)
    for record in recorded_with_memory(model):
        total = sum((record.split[t] for t in TERMS), torch.zeros(())) / math.sqrt(5)
        assert_close(record.scores[..., record.visible], total[..., record.visible])
        assert (record.scores[..., ~record.visible] == -math.inf).all()


def test_the_content_bias_is_constant_down_a_column() -> None:
    for record in recorded_with_memory(xl()):
        c = record.split["c"]
        assert torch.equal(c, c[:, :, :1].expand_as(c))
        assert c.std(dim=-1).min() > 0


def test_the_position_bias_is_constant_along_a_diagonal_and_in_every_text() -> None:
    for record in recorded_with_memory(xl()):
        d = record.split["d"]
        n_queries, n_keys = d.shape[-2:]
        assert torch.equal(d[0], d[1])
        for offset in range(n_keys - n_queries, -n_queries, -1):
            diagonal = d.diagonal(offset, dim1=-2, dim2=-1)
            assert torch.equal(diagonal, diagonal[..., :1].expand_as(diagonal))
        assert d[..., -1, :].std(dim=-1).min() > 0


def test_the_position_terms_are_zero_in_the_future() -> None:
    for record in recorded_with_memory(xl()):
        for term in ("b", "d"):
            assert (record.split[term][..., ~record.visible] == 0).all()


def test_beyond_clamp_len_position_makes_no_difference() -> None:
    for record in recorded_with_memory(xl(clamp_len=2)):
        d = record.split["d"][0, :, -1]
        assert_close(d[:, :-3], d[:, -3:-2].expand_as(d[:, :-3]))
        assert not torch.isclose(d[:, -3], d[:, -2]).any()


def test_without_u_and_v_the_biases_are_zero() -> None:
    model = xl()
    with torch.no_grad():
        model.u.zero_()
        model.v.zero_()
    for record in recorded_with_memory(model):
        assert not record.split["c"].any()
        assert not record.split["d"].any()
        assert record.split["a"].any()
        assert record.split["b"].any()
