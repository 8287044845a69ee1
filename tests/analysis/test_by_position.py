"""Every token at every position: against ordinary scoring of a text whose cut was moved by hand."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from numpy.testing import assert_allclose

from tests.analysis.small import TEXT, checkpoint
from txlviz.analysis.by_position import curve, losses_by_position, tokens_before_full
from txlviz.analysis.evaluate import stream_losses
from txlviz.analysis.spans import memory_span
from txlviz.checkpoint import Checkpoint

XL, VANILLA = checkpoint("xl"), checkpoint("vanilla")
IDS = torch.tensor(XL.encode(TEXT))


@pytest.mark.parametrize(("source", "M"), [(VANILLA, 0), (XL, 0), (XL, 5), (XL, 8)])
@pytest.mark.parametrize("skip", [0, 10])
def test_each_entry_is_the_loss_of_a_stream_that_starts_so_that_the_token_stands_there(
    source: Checkpoint, M: int, skip: int
) -> None:
    L = 8
    table = losses_by_position(source.model, IDS, L, M, skip=skip)
    assert not np.isnan(table).any()
    assert len(table) >= len(IDS) - skip - 3 * L
    streams = [stream_losses(source.model, IDS[offset:], L, M).numpy() for offset in range(L)]
    for t in range(len(table)):
        token = skip + L + t
        for p in range(L):
            offset = (token - 1 - p) % L  # place token - 1 predicts it, at position p of a segment
            assert table[t, p] == pytest.approx(streams[offset][token - offset - 1], abs=2e-4)


def test_memories_are_full_of_full_ones_after_what_is_left_out() -> None:
    """What stands before can't be felt any more: another beginning changes nothing after it."""
    n_layers, L, M = XL.config.n_layers, 4, 6
    skip = tokens_before_full(n_layers, L, M)
    span = int(memory_span(n_layers, L, M).max())
    assert span < skip <= span + L
    other = IDS.clone()
    other[: skip + L - 1 - span] = IDS[7]
    changed = losses_by_position(XL.model, other, L, M, skip=0)
    whole = losses_by_position(XL.model, IDS, L, M, skip=0)
    assert abs(changed - whole)[: skip - 1].max() > 0.01, "before that it does"
    assert_allclose(changed[skip:], whole[skip:], atol=1e-4)


def test_curve_is_mean_and_standard_error() -> None:
    losses = np.array([[1.0, 2.0], [3.0, 6.0], [5.0, 1.0]], dtype=np.float32)
    made = curve(losses)
    assert_allclose(made.mean, [3, 3])
    assert_allclose(made.standard_error, [2 / np.sqrt(3), np.sqrt(7) / np.sqrt(3)])
    assert made.tokens == 3


def test_too_few_tokens() -> None:
    with pytest.raises(ValueError, match="too few: at least 34"):
        losses_by_position(XL.model, IDS[:20], 8, 8, skip=10)
