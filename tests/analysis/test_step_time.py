"""The time of a training step, on a tiny preset."""

from __future__ import annotations

import dataclasses

import torch

from txlviz.analysis import step_time
from txlviz.analysis.step_time import step_seconds
from txlviz.training.presets import PRESETS

TINY = dataclasses.replace(
    PRESETS["wikitext2-2l"], d_model=16, d_inner=16, segment_length=8, mem_len=24, batch_size=2, vocab_size=50
)


def test_both_models_are_timed_with_full_memories(monkeypatch) -> None:  # type: ignore[no-untyped-def]
    rows: dict[str, list[int]] = {"xl": [], "vanilla": []}
    plain = step_time.Run.train_step

    def watched(run: step_time.Run) -> torch.Tensor:
        rows[run.kind].append(run.memory[0].shape[1] if run.memory else 0)
        assert torch.get_num_threads() == 1
        return plain(run)

    monkeypatch.setattr(step_time.Run, "train_step", watched)
    threads, done = torch.get_num_threads(), []
    found = step_seconds(TINY, 5, done.append)
    assert set(found) == {"xl", "vanilla"}
    assert all(0 < seconds < 5 for seconds in found.values())
    assert sum(done) == 5
    assert rows["xl"][-5:] == [24] * 5, "timed steps start with a full memory, and no epoch ends among them"
    assert len(rows["vanilla"]) == len(rows["xl"])
    assert torch.get_num_threads() == threads
