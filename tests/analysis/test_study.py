"""What the study counts, on hand-made numbers."""

from __future__ import annotations

import numpy as np
import pytest
import torch

import txlviz
from tests.analysis.small import TEXT, checkpoint
from txlviz.analysis.evaluate import stream_losses
from txlviz.analysis.study import difference, first_reached, percent_lower, points_below, scores


@pytest.mark.parametrize("kind", ["xl", "vanilla"])
def test_scores_are_those_of_evaluate(kind: str) -> None:
    source = checkpoint(kind)
    ids = torch.tensor([source.tokenizer.newline, *source.encode(TEXT)])
    losses = stream_losses(source.model, ids, 16).numpy()
    expected = txlviz.evaluate(source, TEXT, words=77)
    found = scores(losses, TEXT, 77, L=16, M=expected.memory_length, stride=16)
    for name in ("token_perplexity", "word_perplexity", "bits_per_byte"):
        assert getattr(found, name) == pytest.approx(getattr(expected, name), rel=1e-6)
    rest = ("tokens", "words", "segment_length", "memory_length", "batch_size", "stride")
    assert all(getattr(found, name) == getattr(expected, name) for name in rest)


def test_the_difference_by_hand() -> None:
    other = np.array([1.0, 2.0, 3.0, 1.0, 9.0, 0.0], dtype=np.float32)
    losses = np.array([1.5, 1.0, 3.0, 1.1, 0.0, 8.0], dtype=np.float32)  # gaps 0.5, -1, 0, 0.1, -9, 8
    found = difference(losses, other)
    assert found.lost == pytest.approx(2 / 6)
    assert found.mean == pytest.approx((0.5 - 1 + 0.1 - 9 + 8) / 6)
    assert found.mean_won == pytest.approx((0.5 + 0.1 + 8) / 3)
    assert found.mean_lost == pytest.approx(5.0)
    counts = dict(zip(found.edges, found.counts, strict=False))
    assert {edge: n for edge, n in counts.items() if n} == {-4.0: 1, -1.0: 1, 0.0: 2, 0.5: 1, 3.75: 1}
    assert (found.edges[0], found.edges[-1], len(found.counts)) == (-4.0, 4.0, 32)


def test_equal_losses_are_not_lost() -> None:
    found = difference(np.ones(5), np.ones(5))
    assert (found.lost, found.mean, found.mean_won, found.mean_lost) == (0, 0, 0, 0)


def test_percent_lower() -> None:
    assert percent_lower(80, 100) == pytest.approx(20)
    assert percent_lower(110, 100) == pytest.approx(-10)


@pytest.mark.parametrize(("target", "step"), [(6.0, 10), (5.0, 10), (4.5, 15), (4.0, 20), (3.5, 35), (2.9, None)])
def test_the_first_step_at_a_loss(target: float, step: float | None) -> None:
    # Between 20 and 30 the curve rises: the target 4 is reached at 20 already.
    assert first_reached([10, 20, 30, 40], [5.0, 4.0, 4.0, 3.0], target) == (step and pytest.approx(step))


def test_points_below_compares_where_both_are_known() -> None:
    places, losses = [10, 20, 40], [5.0, 4.0, 2.0]
    # At 5 there is nothing to compare; 4.5 < 4.6 at 15; 3 = 3 at 30 isn't below; at 50 nothing.
    assert points_below(places, losses, [5, 15, 30, 50], [9.0, 4.6, 3.0, 9.0]) == (1, 2)
