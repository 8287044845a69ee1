"""Scoring of models of chosen parts: windows that move by less than their length, with a memory and without."""

from __future__ import annotations

import dataclasses

import pytest
import torch
from torch.testing import assert_close

from tests.analysis import small, systems
from txlviz.analysis.evaluate import stream_losses
from txlviz.models import build

VANILLA = small.checkpoint("vanilla")


@pytest.mark.parametrize("encoding", ["xl", "shaw", "alibi"])
@pytest.mark.parametrize(("length", "stride", "total"), [(16, 8, 60), (16, 8, 61), (16, 5, 40), (16, 16, 40), (16, 8, 7)])
def test_windows_with_a_memory_score_every_token_once(encoding: str, length: int, stride: int, total: int) -> None:
    """One layer and a memory of all that was read: each token is given the whole text before it, whatever the windows."""
    source = systems.checkpoint(encoding, recurrent=True, n_layers=1, mem_len=100)
    ids = torch.tensor(source.inputs(small.TEXT)[: total + 1])
    whole = source.model.token_losses(source.model(ids[None, :-1]).hidden, ids[None, 1:])[0].detach()
    assert_close(stream_losses(source.model, ids, length, 100, stride=stride), whole, rtol=0, atol=1e-4)


def test_a_window_with_a_short_memory_reads_what_stands_before_it() -> None:
    """Two layers, M = 6: the windows one by one, each with the memory that ends at its first input."""
    source = systems.checkpoint("xl", recurrent=True)
    model, ids = source.model.with_mem_len(6), torch.tensor(source.inputs(small.TEXT)[:41])  # type: ignore[operator, union-attr]
    found = stream_losses(source.model, ids, 16, 6, stride=8)
    memory, expected = None, []
    for start in (0, 8, 16, 24):
        with torch.no_grad():
            out = model(ids[None, start : start + 16], memory)
            memory = model(ids[None, start : start + 8], memory).memory
        losses = model.token_losses(out.hidden, ids[None, start + 1 : start + 17])[0]
        expected.append(losses if start == 0 else losses[8:])
    assert_close(found, torch.cat(expected).detach(), rtol=0, atol=1e-5)


def test_a_system_without_recurrence_is_scored_in_windows() -> None:
    source = systems.checkpoint("sinusoids")
    twin = build(
        dataclasses.replace(
            VANILLA.config, **{n: getattr(source.config, n) for n in ("n_layers", "n_heads", "d_model", "d_head", "d_inner")}
        )
    )
    twin.load_state_dict(source.model.state_dict())
    ids = torch.tensor(source.inputs(small.TEXT)[:60])
    for stride in (1, 8, None):
        assert_close(stream_losses(source.model, ids, 16, stride=stride), stream_losses(twin, ids, 16, stride=stride))
    with pytest.raises(ValueError, match="memory length must be 0"):
        stream_losses(source.model, ids, 16, 4)
