"""The clock of evaluation: what runs under it is what the models do, and it can be stopped between pieces."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
import torch
import torch.nn.functional as F

from tests.analysis.small import checkpoint
from txlviz.analysis import eval_speed
from txlviz.analysis.eval_profile import time_shares
from txlviz.analysis.eval_speed import SpeedPoint, measure, readers, steps

A, L = 40, 16


@pytest.fixture
def both() -> Iterator[dict[str, Any]]:
    with torch.inference_mode():
        yield dict(readers(checkpoint("xl"), checkpoint("vanilla"), A, L))


def test_the_window_is_the_vanilla_models_own_pass(both: dict[str, Any]) -> None:
    window, model = both["vanilla"], checkpoint("vanilla").model
    assert list(window.read()) == [None] * model.config.n_layers
    assert window.ids.shape == (1, A + 1)
    hidden = model(window.ids[:, :-1]).hidden
    expected = F.cross_entropy(model.logits(hidden[:, -1]), window.ids[:, -1])
    torch.testing.assert_close(window.loss, expected)


def test_the_segment_is_scored_with_a_full_memory(both: dict[str, Any]) -> None:
    segment, model = both["xl"], checkpoint("xl").model.with_mem_len(A)
    rows = tuple(
        torch.randn(1, A, model.config.d_model, generator=generator)
        for generator in [torch.Generator().manual_seed(0)]
        for _ in model.blocks
    )
    list(segment.read())
    hidden = model(segment.ids[:, :-1], rows).hidden
    assert segment.loss.shape == (1, L) == segment.ids[:, 1:].shape
    torch.testing.assert_close(segment.loss, model.token_losses(hidden, segment.ids[:, 1:]))
    assert segment.tokens == L


def test_pieces_come_before_the_point() -> None:
    *pieces, point = steps(checkpoint("xl"), checkpoint("vanilla"), A, 2, segment_length=L)
    assert set(pieces) == {None}
    windows = 3 * (checkpoint("vanilla").config.n_layers + 1)  # a layer each, and the end
    assert len(pieces) > windows
    assert isinstance(point, SpeedPoint)
    assert (point.attention_length, point.rounds) == (A, 2)
    assert 0 < point.xl_seconds < point.vanilla_seconds, "a window a token costs more than a cached row"


def test_medians_of_the_rounds_without_the_first(monkeypatch: pytest.MonkeyPatch) -> None:
    class Clock:
        """Each look adds 1 s, and in the first round of each model 1,000."""

        now = 0.0

    class Fake:
        tokens = 1

        def __init__(self, lasts: list[float]) -> None:
            self.lasts = lasts

        def read(self) -> Any:
            Clock.now += self.lasts.pop(0)
            yield None

    lasts = {"xl": [1000.0] * 5 + [2.0] * 4 + [9.0] * 6 + [2.0] * 5, "vanilla": [1000.0, 8.0, 4.0, 6.0]}
    monkeypatch.setattr(eval_speed, "readers", lambda *_: {name: Fake(times) for name, times in lasts.items()})
    monkeypatch.setattr(eval_speed.time, "perf_counter", lambda: Clock.now)
    point = measure(checkpoint("xl"), checkpoint("vanilla"), A, 3)
    assert point.xl_seconds == 2.0
    assert point.vanilla_seconds == 6.0


@pytest.mark.parametrize(("length", "rounds"), [(0, 1), (1, 0)])
def test_what_makes_no_sense_is_refused(length: int, rounds: int) -> None:
    with pytest.raises(ValueError, match="at least 1"):
        measure(checkpoint("xl"), checkpoint("vanilla"), length, rounds)
    with pytest.raises(ValueError, match="the first model must be"):
        measure(checkpoint("vanilla"), checkpoint("xl"), 1, 1)


def test_the_shares_of_time_are_shares() -> None:
    found = time_shares(checkpoint("xl"), checkpoint("vanilla"), A, repeats=2, segment_length=L)
    assert set(found) == {"xl", "vanilla"}
    for shares in found.values():
        assert set(shares) == {"attention", "products", "other"}
        assert sum(shares.values()) == pytest.approx(1)
        assert min(shares.values()) > 0
