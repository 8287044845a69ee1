"""What feeds a prediction: the stand-in's answers against replaced tokens in real models."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from numpy.testing import assert_array_equal

from txlviz import memory_span, models
from txlviz.analysis.evaluate import stream_losses
from txlviz.analysis.seen import seen
from txlviz.models import ModelConfig


def test_eight_tokens_in_segments_of_four() -> None:
    train, window = seen(8, 4), seen(8, 4, stride=1)
    assert_array_equal(train.direct, [0, 0, 0, 0, 4, 4, 4, 4])
    assert_array_equal(window.direct, [0, 0, 0, 0, 1, 2, 3, 4])
    assert (train.pairs, window.pairs) == (2 * 10, 5 * 10)
    assert train.context.mean() == (4 + 1) / 2
    xl = seen(8, 4, 2, n_layers=2, recurrent=True)
    assert_array_equal(xl.own, train.own)
    assert_array_equal(xl.direct, [0, 0, 0, 0, 2, 2, 2, 2])
    assert_array_equal(xl.reach, [0] * 8)
    assert xl.pairs == 10 + 10 + 4 * 2


def depends(kind: str, n: int, L: int, M: int, n_layers: int, stride: int | None) -> np.ndarray:
    """(prediction, input): whether replacing the input changes the loss of what is predicted, in a random float64 model."""
    sizes = {"vocab_size": 50, "n_heads": 2, "d_model": 8, "d_inner": 8, "mem_len": M if kind == "xl" else 0}
    torch.manual_seed(1)
    model = models.build(ModelConfig.from_dict({**sizes, "kind": kind, "n_layers": n_layers})).double().eval()
    for parameter in model.parameters():
        torch.nn.init.normal_(parameter, std=0.5)
    ids = torch.randint(50, (n + 1,))
    base = stream_losses(model, ids, L, M or None, stride=stride)
    found = np.zeros((n, n), dtype=bool)
    for j in range(n):
        other = ids.clone()
        other[j] = (other[j] + 7) % 50
        losses = stream_losses(model, other, L, M or None, stride=stride)
        found[:, j] = (losses != base).numpy()
        if j:
            found[j - 1, j] = False  # there the input is the target: its loss is another one in any case
    return found


@pytest.mark.parametrize(
    ("kind", "L", "M", "n_layers", "stride"),
    [
        ("vanilla", 4, 0, 2, None),
        ("vanilla", 4, 0, 2, 1),
        ("vanilla", 5, 0, 1, 2),
        ("xl", 4, 0, 2, None),
        ("xl", 4, 2, 2, None),
        ("xl", 4, 4, 3, None),
        ("xl", 3, 5, 2, None),
        ("xl", 4, 2, 1, None),
    ],
)
def test_exactly_what_is_seen_changes_a_prediction(kind: str, L: int, M: int, n_layers: int, stride: int | None) -> None:
    n = 18
    found = seen(n, L, M, n_layers=n_layers, stride=stride, recurrent=kind == "xl")
    place = np.arange(n)
    expected = (place >= found.reach[:, None]) & (place <= place[:, None])
    assert_array_equal(depends(kind, n, L, M, n_layers, stride), expected)
    assert (found.reach <= found.direct).all()
    assert (found.direct <= found.own).all()


@pytest.mark.parametrize(("L", "M", "N"), [(4, 6, 3), (8, 8, 2), (5, 3, 4)])
def test_far_into_a_text_the_reach_is_the_memory_span(L: int, M: int, N: int) -> None:
    n = 20 * L
    found = seen(n, L, M, n_layers=N, recurrent=True)
    back = np.arange(n) - found.reach
    assert_array_equal(back[-L:], memory_span(N, L, M)[-1])
    assert_array_equal((np.arange(n) - found.direct)[-L:], memory_span(1, L, M)[-1])


def test_the_price_of_a_moved_window() -> None:
    n, L = 300, 16
    assert seen(n, L, stride=1).pairs == (n - L + 1) * L * (L + 1) // 2
    assert seen(n, L).pairs_per_token == pytest.approx((L + 1) / 2, abs=0.1)
    assert seen(320, L, 32, recurrent=True).pairs == 20 * L * (L + 1) // 2 + L * (16 + 18 * 32)


def test_settings_that_make_no_sense() -> None:
    with pytest.raises(ValueError, match="at least 1"):
        seen(0, 4)
    with pytest.raises(ValueError, match="segment_length"):
        seen(8, 0)
    with pytest.raises(ValueError, match="stride"):
        seen(8, 4, 4, stride=1, recurrent=True)
