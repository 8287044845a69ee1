"""The baseline: absolute sinusoids, no memory, and the exact split of its first layer."""

from __future__ import annotations

import math

import pytest
import torch
from torch import Tensor
from torch.testing import assert_close

from tests.models.small import Keep, random_ids, vanilla, xl
from txlviz.models import TERMS, Term, VanillaTransformer
from txlviz.models.block import Block

LENGTH = 5


def parts(model: VanillaTransformer, ids: Tensor) -> tuple[Tensor, Tensor]:
    """E (B, L, D), the scaled embeddings, and U (L, D), the sinusoids, in float64."""
    D = model.config.d_model
    E = model.embedding.weight.detach().double()[ids] * math.sqrt(D)
    angles = [[place / 10000 ** (2 * k / D) for k in range(D // 2)] for place in range(ids.shape[1])]
    U = [[math.sin(a) for a in row] + [math.cos(a) for a in row] for row in angles]
    return E, torch.tensor(U, dtype=torch.float64)


def split_by_loops(model: VanillaTransformer, ids: Tensor) -> dict[Term, Tensor]:
    """(a) E·E, (b) E·U, (c) U·E, (d) U·U for each query and key of the first layer."""
    block, (E, U) = model.blocks[0], parts(model, ids)
    assert isinstance(block, Block)
    weights = {name: w.detach().double() for name, w in block.attention.named_parameters()}
    W_q, W_k = weights["w_q.weight"], weights["w_kv.weight"].chunk(2)[0]
    heads = (model.config.n_heads, model.config.d_head)
    shape = (ids.shape[0], heads[0], LENGTH, LENGTH)
    out: dict[Term, Tensor] = {term: torch.zeros(shape, dtype=torch.float64) for term in TERMS}
    for text in range(ids.shape[0]):
        for i in range(LENGTH):
            for j in range(LENGTH):
                q_E, q_U = ((W_q @ x).view(heads) for x in (E[text, i], U[i]))
                k_E, k_U = ((W_k @ x).view(heads) for x in (E[text, j], U[j]))
                for term, (q, k) in zip(TERMS, [(q_E, k_E), (q_E, k_U), (q_U, k_E), (q_U, k_U)], strict=True):
                    out[term][text, :, i, j] = (q * k).sum(-1)
    return out


@pytest.mark.parametrize("changes", [{}, {"d_head": 5}], ids=["plain", "d_head"])
def test_the_first_layer_splits_into_embedding_and_position(changes: dict[str, int]) -> None:
    model, ids, recorder = vanilla(**changes), random_ids(2, LENGTH), Keep()
    with torch.no_grad():
        model(ids, recorder=recorder)
    first, expected = recorder.layers[0], split_by_loops(model, ids)
    for term in TERMS:
        assert_close(first.split[term].double(), expected[term], atol=1e-5, rtol=1e-5)
    total = sum(expected.values(), torch.zeros(())) / math.sqrt(model.config.d_head)
    assert_close(first.scores[..., first.visible].double(), total[..., first.visible], atol=1e-5, rtol=1e-5)
    assert (first.scores[..., ~first.visible] == -math.inf).all()


def test_the_layers_above_have_no_split() -> None:
    model, recorder = vanilla(n_layers=3), Keep()
    with torch.no_grad():
        model(random_ids(2, LENGTH), recorder=recorder)
    assert [record.terms is None for record in recorder.layers] == [False, True, True]
    assert all(torch.equal(record.visible, torch.ones(LENGTH, LENGTH).tril().bool()) for record in recorder.layers)


def test_the_position_term_is_the_same_in_every_text() -> None:
    model, recorder = vanilla(), Keep()
    with torch.no_grad():
        model(random_ids(3, LENGTH), recorder=recorder)
    d = recorder.layers[0].split["d"]
    assert_close(d, d[:1].expand_as(d))


def test_positions_count_from_zero_in_each_segment_and_matter() -> None:
    model, ids = vanilla(), random_ids(1, 8)
    with torch.no_grad():
        again = torch.cat([ids, ids], dim=1)
        whole = model(again).hidden
        assert_close(whole[:, :8], model(ids).hidden, atol=1e-5, rtol=0)
        assert not torch.allclose(whole[:, 8:], whole[:, :8], atol=1e-2)


def test_there_is_no_memory_to_return() -> None:
    assert vanilla()(random_ids(1, 4)).memory == ()


@pytest.mark.parametrize("of", ["a transformer-xl", "made by hand"])
def test_a_memory_is_refused_by_name(of: str) -> None:
    ids = random_ids(1, 4)
    memory = xl()(ids).memory if of == "a transformer-xl" else [torch.zeros(1, 3, 16)] * 2
    with pytest.raises(ValueError, match="vanilla model has no memory"):
        vanilla()(ids, memory)


def test_its_own_empty_memory_may_be_passed_on() -> None:
    model, ids = vanilla(), random_ids(1, 4)
    first = model(ids)
    assert torch.equal(model(ids, first.memory).hidden, first.hidden)
