"""The time of a training step, on a tiny preset."""

from __future__ import annotations

import dataclasses

import torch

from txlviz.analysis import step_time
from txlviz.analysis.step_time import step_seconds
from txlviz.training.memory import MemoryDraws
from txlviz.training.presets import PRESETS

TINY = dataclasses.replace(
    PRESETS["wikitext2-2l"],
    d_model=16,
    d_inner=16,
    segment_length=8,
    memory=MemoryDraws((0, 24), (0.25, 0.75)),
    batch_size=2,
    vocab_size=50,
)


def test_every_drawn_memory_is_timed_full_and_counts_by_its_share(monkeypatch) -> None:  # type: ignore[no-untyped-def]
    """Time stands still but for the rows that a step reads, a second each; a step of the vanilla model takes 7."""
    clock, rows = [0.0], {0: [], 24: [], None: []}
    plain = step_time.Run.train_step

    def watched(run: step_time.Run) -> torch.Tensor:
        length = run.preset.memory.longest if run.model.has_memory else None
        read = run.memory.read(length)[0] if length else None
        rows[length].append(read[0].shape[1] if read else 0)
        clock[0] += 7 if length is None else length
        assert torch.get_num_threads() == 1
        return plain(run)

    monkeypatch.setattr(step_time.Run, "train_step", watched)
    monkeypatch.setattr(step_time.time, "process_time", lambda: clock[0])
    threads, done = torch.get_num_threads(), []
    assert step_seconds(TINY, 5, done.append) == {"xl": 18.0, "vanilla": 7.0}
    assert sum(done) == 5
    assert rows[24][-5:] == [24] * 5, "timed steps start with a full memory, and no epoch ends among them"
    assert len(rows[0]) == len(rows[24])
    assert torch.get_num_threads() == threads
