"""The echo stream, against its definition."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from txlviz.models.attention import visible_keys
from txlviz.tasks import EchoStreams, EchoTask, in_sight, stream


@pytest.mark.parametrize("delay", [1, 7, 40])
def test_without_noise_every_token_is_the_one_d_earlier(delay: int) -> None:
    ids = stream(EchoTask(delay, noise=0.0), 3, 4 * delay + 5, seed=1)
    assert ids.shape == (3, 4 * delay + 5)
    assert torch.equal(ids[:, delay:], ids[:, :-delay])


def test_with_noise_the_source_is_right_as_often_as_best_says() -> None:
    task = EchoTask(5)
    ids = stream(task, 200, 505, seed=2)
    share = float((ids[:, 5:] == ids[:, :-5]).float().mean())
    assert share == pytest.approx(task.best, abs=0.004)  # 100,000 draws: the standard error is 0.0009
    assert task.best == pytest.approx(0.9 + 0.1 / 16)
    counts = np.bincount(ids.flatten().numpy(), minlength=16) / ids.numel()
    assert counts.max() < 1.3 * task.chance


def test_only_noise_is_only_chance() -> None:
    task = EchoTask(3, noise=1.0, vocab=4)
    ids = stream(task, 100, 403, seed=3)
    assert float((ids[:, 3:] == ids[:, :-3]).float().mean()) == pytest.approx(task.chance, abs=0.01)
    assert task.best == task.chance == 0.25


def test_streams_go_on_over_their_takes() -> None:
    streams = EchoStreams(EchoTask(6, noise=0.0), 2, seed=4)
    pieces = [streams.take(length) for length in (1, 4, 9, 6, 13)]
    ids = torch.cat(pieces, dim=1)
    assert [piece.shape[1] for piece in pieces] == [1, 4, 9, 6, 13]
    assert torch.equal(ids[:, 6:], ids[:, :-6])


def test_the_seed_decides() -> None:
    task = EchoTask(9)
    assert torch.equal(stream(task, 2, 50, seed=5), stream(task, 2, 50, seed=5))
    assert not torch.equal(stream(task, 2, 50, seed=5), stream(task, 2, 50, seed=6))
    assert not torch.equal(*stream(task, 2, 50, seed=5))
    assert stream(task, 2, 0, seed=5).shape == (2, 0)


@pytest.mark.parametrize("M", [0, 1, 5, 8, 16])
@pytest.mark.parametrize("D", [1, 2, 5, 8, 9, 14, 30])
def test_in_sight_is_what_the_models_own_mask_shows(D: int, M: int) -> None:
    L = 8
    mask = visible_keys(L, M + L)  # key j stands at place j - M of the segment
    expected = [p + 1 - D + M >= 0 and bool(mask[p, p + 1 - D + M]) for p in range(L)]
    assert in_sight(D, L, M).tolist() == expected


@pytest.mark.parametrize(
    ("values", "says"),
    [
        ({"delay": 0}, "delay"),
        ({"delay": 2.0}, "delay"),
        ({"delay": 4, "noise": 1.2}, "noise"),
        ({"delay": 4, "vocab": 1}, "vocab"),
    ],
)
def test_wrong_tasks_are_refused_by_name(values: dict[str, float], says: str) -> None:
    with pytest.raises(ValueError, match=says):
        EchoTask(**values)  # type: ignore[arg-type]


def test_wrong_sizes_are_refused() -> None:
    with pytest.raises(ValueError, match="n_streams"):
        stream(EchoTask(4), 0, 5, seed=0)
    with pytest.raises(ValueError, match="length"):
        stream(EchoTask(4), 1, -5, seed=0)
