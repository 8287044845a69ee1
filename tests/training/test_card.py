"""Which memory length becomes the model's own."""

from __future__ import annotations

from txlviz.training.card_scores import SAME_LOSS, shortest_good


def test_the_own_memory_is_the_shortest_that_is_as_good_as_the_best() -> None:
    assert shortest_good({0: 1.0, 64: 3.1, 128: 3.0, 256: 3.0 - 0.9 * SAME_LOSS, 512: 3.2}) == 128
    assert shortest_good({0: 1.0, 64: 3.1, 128: 3.0, 256: 3.0 - 1.1 * SAME_LOSS, 512: 3.2}) == 256
    assert shortest_good({16: 1.0, 64: 3.0}) == 64, "shorter than 64 is left out, however good"
