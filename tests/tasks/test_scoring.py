"""Accuracy by position, with a model that is known to answer exactly where the source is in sight."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from torch import Tensor

from txlviz.models import ModelConfig, Output, TransformerXL, VanillaTransformer
from txlviz.tasks import EchoTask, accuracy_by_position, in_sight

L = 8


class Oracle(TransformerXL):
    """Keeps the last M ids, and names the one D - 1 back; symbol 0 where it doesn't have it."""

    delay = 12

    def forward(self, ids: Tensor, memory: object = None, *args: object, **options: object) -> Output:
        old = memory[0] if memory else torch.zeros(len(ids), 0, 1)  # type: ignore[index]
        seen = torch.cat([old[..., 0].long(), ids], dim=1)
        self.filled = old.shape[1]
        answers = torch.zeros_like(ids)
        for p in range(ids.shape[1]):
            at = seen.shape[1] - ids.shape[1] + p + 1 - self.delay
            if at >= 0:
                answers[:, p] = seen[:, at]
        kept = seen[:, max(0, seen.shape[1] - self.mem_len) :]
        return Output(torch.nn.functional.one_hot(answers, 16).float(), (kept[..., None].float(),), None)

    def logits(self, hidden: Tensor) -> Tensor:
        return hidden


def config(kind: str = "xl", vocab: int = 16) -> ModelConfig:
    mem = 8 if kind == "xl" else 0
    return ModelConfig(kind, vocab, 1, 1, 8, 8, segment_length=L, mem_len=mem)  # type: ignore[arg-type]


@pytest.mark.parametrize("M", [0, 3, 4, 8, 11, 30])
def test_the_oracle_is_right_exactly_where_the_source_is_in_sight(M: int) -> None:
    task = EchoTask(Oracle.delay)
    shares = accuracy_by_position(Oracle(config()), task, L, M, n_streams=100, n_segments=20)
    seen = in_sight(Oracle.delay, L, M)
    assert shares.shape == (L,)
    np.testing.assert_allclose(shares[seen], task.best, atol=0.035)
    np.testing.assert_allclose(shares[~seen], task.chance, atol=0.05)


def test_without_noise_nothing_is_wrong_from_the_first_scored_segment_on() -> None:
    """A segment scored too early, with half a memory or without sources, would show."""
    task = EchoTask(Oracle.delay, noise=0.0)
    for M in (11, 16, 17, 40):
        assert accuracy_by_position(Oracle(config()), task, L, M, n_streams=20, n_segments=1).min() == 1.0
    assert accuracy_by_position(Oracle(config()), task, L, 7, n_streams=20, n_segments=1).tolist()[4:] == [1.0] * 4


def test_l_and_m_default_to_the_models_own() -> None:
    task = EchoTask(Oracle.delay)
    own = accuracy_by_position(Oracle(config()), task, n_streams=10, n_segments=5)
    np.testing.assert_array_equal(own, accuracy_by_position(Oracle(config()), task, L, 8, n_streams=10, n_segments=5))


def test_what_cannot_be_scored_is_refused() -> None:
    task, vanilla = EchoTask(5), VanillaTransformer(config("vanilla"))
    with pytest.raises(ValueError, match="no memory"):
        accuracy_by_position(vanilla, task, L, 4)
    with pytest.raises(ValueError, match="knows 8 symbols"):
        accuracy_by_position(VanillaTransformer(config("vanilla", 8)), task)
    with pytest.raises(ValueError, match="at least"):
        accuracy_by_position(vanilla, task, 0)
    with pytest.raises(ValueError, match="at least"):
        accuracy_by_position(TransformerXL(config()), task, L, -1)
