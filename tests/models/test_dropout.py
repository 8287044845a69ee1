"""Dropout acts in training only, and leaves no mask behind in the memory."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch.testing import assert_close

from tests.models.small import attentions, config, either, in_segments, inputs_of, random_ids, random_tensor, randomised, xl
from txlviz.models.block import Block, FeedForward

KINDS = ["xl", "vanilla"]
SETTINGS: list[dict[str, Any]] = [{"dropout": 0.5}, {"attention_dropout": 0.5}]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("setting", SETTINGS, ids=["dropout", "attention dropout"])
def test_it_acts_in_training(kind: str, setting: dict[str, Any]) -> None:
    torch.manual_seed(0)
    model, ids = either(kind, **setting).train(), random_ids(2, 6)
    assert not torch.equal(model(ids).hidden, model(ids).hidden)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("setting", SETTINGS, ids=["dropout", "attention dropout"])
def test_it_rests_in_evaluation(kind: str, setting: dict[str, Any]) -> None:
    model, ids = either(kind, **setting), random_ids(2, 6)
    assert torch.equal(model(ids).hidden, either(kind)(ids).hidden)


@pytest.mark.parametrize("kind", KINDS)
def test_without_it_training_is_evaluation(kind: str) -> None:
    model, ids = either(kind), random_ids(2, 12)
    evaluated, _ = in_segments(model, ids.split(6, dim=1))
    trained, _ = in_segments(model.train(), ids.split(6, dim=1))
    assert torch.equal(trained, evaluated)


@pytest.mark.parametrize("kind", KINDS)
def test_its_share_of_the_last_hidden_state_is_zero(kind: str) -> None:
    torch.manual_seed(0)
    model = either(kind, dropout=0.25).train()
    zeros = (model(random_ids(8, 64)).hidden == 0).float().mean().item()
    assert zeros == pytest.approx(0.25, abs=0.02)


def test_it_acts_inside_the_feed_forward_layer() -> None:
    torch.manual_seed(0)
    layer, h = randomised(FeedForward(config(dropout=0.5))), random_tensor(2, 3, 16)
    assert torch.equal(layer(h), layer(h))
    layer.train()
    assert not torch.equal(layer(h), layer(h))


def test_it_acts_on_what_each_of_the_two_sublayers_adds() -> None:
    class One(nn.Module):
        def forward(self, h: Tensor) -> Tensor:
            return torch.ones_like(h)

    torch.manual_seed(0)
    block = Block(config(dropout=0.5), One())
    block.feed_forward = One()  # type: ignore[assignment]
    block.attention_norm = block.feed_forward_norm = nn.Identity()  # type: ignore[assignment]
    zeros = torch.zeros(4, 8, 16)
    assert block.train()(zeros).unique().tolist() == [0.0, 2.0, 4.0]  # 1 becomes 0 or 2, twice
    assert block.eval()(zeros).unique().tolist() == [2.0]


def test_no_mask_is_frozen_into_the_memory() -> None:
    torch.manual_seed(0)
    model, ids = xl(dropout=0.5, n_layers=3, mem_len=8).train(), random_ids(4, 8)
    for rows in model(ids).memory[1:]:
        assert not (rows == 0).any()


def test_nor_into_that_of_the_first_layer() -> None:
    torch.manual_seed(0)
    model, ids = xl(dropout=0.5, mem_len=8).train(), random_ids(2, 8)
    assert_close(model(ids).memory[0], (model.embedding.weight[ids] * 4.0).detach())


def test_a_memory_from_training_can_be_read_in_evaluation() -> None:
    torch.manual_seed(0)
    model, segments = xl(dropout=0.5), random_ids(2, 12).split(6, dim=1)
    memory = model.train()(segments[0]).memory
    model.eval()
    assert torch.equal(model(segments[1], memory).hidden, model(segments[1], memory).hidden)
    assert model(segments[1], memory).hidden.isfinite().all()


def test_positions_are_dropped_in_training_only() -> None:
    torch.manual_seed(0)
    model = xl(dropout=0.5)
    for training in (True, False):
        with inputs_of(attentions(model)) as calls:
            model.train(training)(random_ids(1, 6))
        zeros = (calls[0][2] == 0).sum().item()  # sin 0 is the only 0 of the table: 8 sines at distance 0
        assert zeros > 8 if training else zeros == 8
