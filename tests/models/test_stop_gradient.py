"""SG(·): a segment's loss sends gradient to that segment's inputs only."""

from __future__ import annotations

import torch
from torch import Tensor

from tests.models.small import random_ids, random_tensor, xl
from txlviz.models import Memory, TransformerXL


def gradients(model: TransformerXL, segment: Tensor, memory: Memory | None) -> dict[str, Tensor]:
    """The gradients of a random projection of the hidden states."""
    model.zero_grad()
    hidden = model(segment, memory).hidden
    (hidden * random_tensor(*hidden.shape)).sum().backward()
    return {name: p.grad.clone() for name, p in model.named_parameters() if p.grad is not None}


def test_the_memory_carries_no_gradient() -> None:
    output = xl()(random_ids(2, 4))
    assert output.hidden.requires_grad
    assert [rows.requires_grad for rows in output.memory] == [False, False]


def test_no_gradient_reaches_the_tokens_of_the_segment_before() -> None:
    model = xl()
    before, now = random_ids(2, 5, high=20), random_ids(2, 5, low=20)
    grad = gradients(model, now, model(before).memory)["embedding.weight"]
    reached = grad.abs().sum(-1).nonzero().flatten().tolist()
    assert reached == now.unique().tolist()


def test_a_memory_that_wants_gradient_gets_none() -> None:
    model = xl()
    memory = tuple(rows.requires_grad_() for rows in model(random_ids(2, 5)).memory)
    gradients(model, random_ids(2, 5, seed=1), memory)
    assert [rows.grad for rows in memory] == [None, None]


def test_keys_and_values_learn_from_the_memorys_rows() -> None:
    model, now = xl(), random_ids(2, 5, seed=1)
    memory = model(random_ids(2, 5)).memory
    with_memory = gradients(model, now, memory)
    other_memory = gradients(model, now, tuple(rows.flip(1) for rows in memory))
    for name in ("blocks.0.attention.w_kv.weight", "blocks.1.attention.w_kv.weight"):
        assert not torch.allclose(with_memory[name], other_memory[name], atol=1e-3)


def test_segments_can_be_trained_one_after_another() -> None:
    model, memory = xl(), None
    for segment in random_ids(2, 12).split(4, dim=1):
        output = model(segment, memory, targets=segment)
        output.loss.backward()  # would fail here, had the graph of the segment before been kept in the memory
        memory = output.memory
    assert all(p.grad is not None and p.grad.any() for p in model.parameters())


def test_without_it_the_numbers_are_the_same_and_gradient_crosses() -> None:
    model = xl()
    before, now = random_ids(2, 5, high=20), random_ids(2, 5, low=20)
    first = model(before, stop_gradient=False)
    second = model(now, first.memory, stop_gradient=False)
    assert torch.equal(second.hidden, model(now, model(before).memory).hidden)
    model.zero_grad()
    (second.hidden * random_tensor(*second.hidden.shape)).sum().backward()
    reached = model.embedding.weight.grad.abs().sum(-1).nonzero().flatten().tolist()
    assert reached == sorted({*before.unique().tolist(), *now.unique().tolist()})
