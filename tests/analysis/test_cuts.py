"""Losses with the cut elsewhere: against runs of the plain models, segment by segment."""

from __future__ import annotations

import copy
import dataclasses

import numpy as np
import pytest
import torch
from numpy.testing import assert_allclose, assert_array_equal

from tests.analysis.small import TEXT, checkpoint
from txlviz import trace
from txlviz.analysis.cuts import losses_by_cut, segment_starts
from txlviz.checkpoint import Checkpoint
from txlviz.models import Memory

XL, VANILLA = checkpoint("xl"), checkpoint("vanilla")
N = len(XL.encode(TEXT))


@torch.inference_mode()
def one_by_one(source: Checkpoint, L: int, M: int, offset: int) -> np.ndarray:
    """The definition: pieces of ``offset``, L, L, … inputs, each run on its own, the memory carried along."""
    model = source.model.with_mem_len(M) if source.is_xl else source.model  # type: ignore[operator]
    ids = [source.tokenizer.newline, *source.encode(TEXT)]
    losses: list[float] = []
    memory: Memory = ()
    piece: list[int] = []
    for place, token in enumerate(ids[:-1]):
        piece.append(token)
        if place == len(ids) - 2 or (place + 1) % L == offset % L:
            out = model(torch.tensor([piece]), memory or None)
            memory = out.memory
            log_p = model.logits(out.hidden[0]).log_softmax(dim=-1)
            first = place + 1 - len(piece)
            losses += [-float(log_p[i, ids[first + i + 1]]) for i in range(len(piece))]
            piece = []
    return np.array(losses)


@pytest.mark.parametrize("L", [1, 2, 7, 16])
@pytest.mark.parametrize(("source", "M"), [(VANILLA, 0), (XL, 0), (XL, 5), (XL, 40)])
def test_every_offset_is_what_single_runs_give(source: Checkpoint, L: int, M: int) -> None:
    table = losses_by_cut(source, TEXT, L, M)
    assert table.shape == (L, N)
    assert table.dtype == np.float32
    for offset in {0, 1 % L, L // 2, L - 1}:
        assert_allclose(table[offset], one_by_one(source, L, M, offset), atol=2e-4)


@pytest.mark.parametrize("same_length", [False, True])
@pytest.mark.parametrize("M", [3, 30])
def test_long_first_segments_leave_the_rows_that_m_says(M: int, same_length: bool) -> None:
    """Longer than M, and M on both sides of the model's own; with ``same_length`` M is the window of the first one too."""
    source = copy.copy(XL)
    model = copy.copy(XL.model)
    model.config = dataclasses.replace(model.config, same_length=same_length)
    object.__setattr__(source, "model", model)
    table = losses_by_cut(source, TEXT, 40, M)
    for offset in (0, 1, 33):
        assert_allclose(table[offset], one_by_one(source, 40, M, offset), atol=2e-4)


@pytest.mark.parametrize("source", [XL, VANILLA])
@pytest.mark.parametrize("L", [3, 16, 64, 500])
def test_offset_0_is_the_trace(source: Checkpoint, L: int) -> None:
    assert_allclose(losses_by_cut(source, TEXT, L, offsets=[0])[0], trace(source, TEXT, L, record=[]).losses, atol=2e-4)


def test_offsets_asked_for_are_rows_of_the_whole_in_their_order() -> None:
    for source in (XL, VANILLA):
        whole = losses_by_cut(source, TEXT, 8)
        assert_allclose(losses_by_cut(source, TEXT, 8, offsets=(5, 0, 5)), whole[[5, 0, 5]], atol=1e-5)
        assert losses_by_cut(source, TEXT, 8, offsets=()).shape == (0, N)


def test_the_cut_matters_to_the_vanilla_model_and_not_to_one_that_remembers_everything() -> None:
    vanilla, xl = losses_by_cut(VANILLA, TEXT, 16), losses_by_cut(XL, TEXT, 16, 1000)
    assert np.ptp(vanilla, axis=0)[16:].mean() > 0.1
    assert np.ptp(xl, axis=0).max() < 1e-3


def test_segments_start_where_the_offset_says() -> None:
    assert segment_starts(10, 4, 0) == [0, 4, 8]
    assert segment_starts(10, 4, 3) == [0, 3, 7]
    assert segment_starts(3, 4, 3) == [0], "a text that ends at the cut has one segment"
    assert segment_starts(1, 1, 0) == [0]
    for L in (1, 5, 8):
        for offset in range(L):
            assert_array_equal(np.array(segment_starts(40, L, offset)[1:]) % L, offset)


@pytest.mark.parametrize(("options", "message"), [({"offsets": [8]}, "from 0 to 7"), ({"offsets": [-1]}, "from 0 to 7")])
def test_offsets_that_are_none(options: dict, message: str) -> None:  # type: ignore[type-arg]
    with pytest.raises(ValueError, match=message):
        losses_by_cut(XL, TEXT, 8, **options)


def test_mistakes_are_named() -> None:
    with pytest.raises(ValueError, match="empty"):
        losses_by_cut(XL, "", 8)
    with pytest.raises(ValueError, match="no memory"):
        losses_by_cut(VANILLA, TEXT, 8, 4)
    with pytest.raises(ValueError, match="segment length is 0"):
        losses_by_cut(XL, TEXT, 0)


def test_one_token() -> None:
    assert losses_by_cut(XL, " ", 8).shape == losses_by_cut(VANILLA, " ", 8).shape == (8, 1)
