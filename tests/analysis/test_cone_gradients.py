"""Gradients: with stop-gradient exactly zero before the segment; without it non-zero inside the span, exactly zero outside."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch

import txlviz
from tests.analysis.random_model import checkpoint, text_of
from txlviz.analysis.gradients import gradients
from txlviz.analysis.reach import reachable

ROOT = Path(__file__).parents[2]
STORY = "The river rises in the hills, and the old mill beside it was built by Thomas Calder. The river is wide. " * 6


def expected(found: txlviz.analysis.gradients.Gradients, N: int, L: int, M: int, stop_gradient: bool) -> np.ndarray:
    """What can reach one of the segment's outputs that have a target, and lies in the segment where gradients stop there."""
    total = found.size.shape[1]
    nodes = reachable(N, L, M, range(found.start, found.start + found.targets), total)
    if stop_gradient:
        nodes[:, : found.start] = False
    return nodes


@pytest.mark.parametrize("stop_gradient", [True, False])
@pytest.mark.parametrize("M", [0, 3, 4, 8, 12])
@pytest.mark.parametrize("L", [4, 8])
def test_zero_where_nothing_leads_and_nowhere_else(L: int, M: int, stop_gradient: bool) -> None:
    for N in (1, 2, 4):
        total = 2 * L + N * (M + L)
        last = (total - 1) // L
        for segment in (0, last - 1, last):
            model, text = checkpoint(n_layers=N), text_of(total)
            if segment * L == total - 1:
                continue  # no target
            found = gradients(model, text, L, M, segment=segment, stop_gradient=stop_gradient)
            assert found.start == segment * L
            np.testing.assert_array_equal(
                found.size > 0, expected(found, N, L, M, stop_gradient), err_msg=f"{(N, L, M, segment)}"
            )
            if stop_gradient:
                assert not found.size[:, : found.start].any()


@pytest.mark.parametrize("stop_gradient", [True, False])
@pytest.mark.parametrize("kind", ["xl", "vanilla"])
@pytest.mark.parametrize("preset", ["wikitext2-2l", "wikitext2-4l"])
def test_the_shipped_models(preset: str, kind: str, stop_gradient: bool) -> None:
    model = txlviz.load(ROOT / "checkpoints" / preset / kind)
    for L, M in ((8, 8), (16, 3), (64, 64), (64, 256)):
        M = M if kind == "xl" else 0
        segment = (len(model.encode(STORY)) - 1) // L
        found = gradients(model, STORY, L, M, segment=segment, stop_gradient=stop_gradient)
        np.testing.assert_array_equal(found.size > 0, expected(found, model.config.n_layers, L, M, stop_gradient))


def test_the_sizes_are_those_of_the_loss_by_differences() -> None:
    """Along the gradient, a small step of an embedding changes the loss by the gradient's length times the step."""
    model, text, L, M = checkpoint(n_layers=2), text_of(24), 8, 8
    ids = torch.tensor([[model.tokenizer.newline, *model.encode(text)]])
    found = gradients(model, text, L, M, segment=1, stop_gradient=False)
    assert found.loss == pytest.approx(float(np.mean(txlviz.trace(model, text, L, M).losses[8:16])), rel=1e-6)

    place, step = 5, 1e-6
    rows = model.model.embedding(ids).detach()
    rows[0, place].requires_grad_()

    def loss(delta: torch.Tensor) -> float:
        changed = rows.detach().clone()
        changed[0, place] += delta
        twin = model.model.with_mem_len(M)
        whole, memory, out = changed * np.sqrt(8), None, None
        for start in (0, 8):
            twin.embed = lambda piece, at=start: whole[:, at : at + piece.shape[1]]
            out = twin(ids[:, start : start + 8], memory)
            memory = out.memory
        return float(model.model.token_losses(out.hidden, ids[:, 9:17]).mean())

    with torch.no_grad():
        unit = torch.eye(8, dtype=torch.float64)
        slopes = [(loss(step * one) - loss(-step * one)) / (2 * step) for one in unit]
    assert found.size[0, place] == pytest.approx(np.linalg.norm(slopes) / np.sqrt(8), rel=1e-4)


def test_the_model_is_left_as_it_was() -> None:
    model = checkpoint(n_layers=2)
    gradients(model, text_of(24), 8, 8, segment=1)
    assert all(parameter.requires_grad and parameter.grad is None for parameter in model.model.parameters())
    assert not any(module._forward_hooks or module._forward_pre_hooks for module in model.model.modules())


def test_segments_without_a_loss_are_refused() -> None:
    model, text = checkpoint(n_layers=1), text_of(17)
    with pytest.raises(ValueError, match="no loss"):
        gradients(model, text, 8, 8, segment=2)
    for segment in (-1, 3):
        with pytest.raises(ValueError, match="no segment"):
            gradients(model, text, 8, 8, segment=segment)
