"""ALiBi's slopes, entry by entry, and its bias."""

from __future__ import annotations

import pytest
import torch

from tests.models.encodings.systems import positions
from tests.models.small import random_tensor
from txlviz.models.encodings.alibi import slopes

BY_HAND = {
    1: [1 / 256],
    2: [1 / 16, 1 / 256],
    4: [1 / 4, 1 / 16, 1 / 64, 1 / 256],
    8: [1 / 2, 1 / 4, 1 / 8, 1 / 16, 1 / 32, 1 / 64, 1 / 128, 1 / 256],
    # not a power of two: those of 4 heads, then every second one of 8 heads
    6: [1 / 4, 1 / 16, 1 / 64, 1 / 256, 1 / 2, 1 / 8],
    3: [1 / 16, 1 / 256, 1 / 4],
    12: [2.0**-n for n in range(1, 9)] + [2.0**-0.5, 2.0**-1.5, 2.0**-2.5, 2.0**-3.5],
}


@pytest.mark.parametrize("n_heads", BY_HAND)
def test_slopes_entry_by_entry(n_heads: int) -> None:
    assert slopes(n_heads) == pytest.approx(BY_HAND[n_heads], rel=1e-12)


@pytest.mark.parametrize("n_heads", range(1, 40))
def test_each_head_has_a_slope_of_its_own(n_heads: int) -> None:
    assert len(set(slopes(n_heads))) == n_heads
    assert all(0 < slope < 1 for slope in slopes(n_heads))


def test_the_bias_entry_by_entry() -> None:
    q, k = random_tensor(1, 2, 2, 8), random_tensor(1, 2, 4, 8, seed=1)
    bias = positions("alibi").float().bias(q, k, scale=0.5)  # the scale of the scores doesn't touch it
    assert bias is not None
    a, b = 1 / 16, 1 / 256
    seen = torch.ones(2, 4, dtype=torch.bool).tril(2)  # the queries stand at places 2 and 3
    expected = torch.tensor([[[-2 * a, -a, 0, 0], [-3 * a, -2 * a, -a, 0]], [[-2 * b, -b, 0, 0], [-3 * b, -2 * b, -b, 0]]])
    assert torch.equal(bias[0].masked_fill(~seen, 0), expected)


def test_nothing_in_it_is_learned_or_saved() -> None:
    assert not list(positions("alibi").parameters())
    assert not positions("alibi").state_dict()
