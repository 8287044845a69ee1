"""The recorded grid over D and training M: one model a cell, tested with many M, so that it can be shown without a model."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from txlviz.models import LanguageModel
from txlviz.models.config import Kind
from txlviz.tasks import shipped
from txlviz.tasks.echo import EchoTask, in_sight
from txlviz.tasks.scoring import accuracy_by_position
from txlviz.tasks.training import OnStep, Settings, train

DELAYS = (8, 16, 20, 24, 32, 40, 48, 56, 64, 80, 96)
TRAINED_M = (0, 16, 32, 48, 64, 96)
TESTED_M = (0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128)
STEPS: dict[Kind, int] = {"xl": 600, "vanilla": 300}
"""At most; a run ends as soon as it has learned."""
BATCH: dict[Kind, int] = {"xl": 16, "vanilla": 64}
"""(B) streams side by side. With 16 the vanilla model mostly stays at chance even where it could learn, so it gets more."""
SEEDS = 3
"""A run that has not learned is repeated with the next seed, up to so many runs, if there is anything to learn."""

_STREAMS, _SEGMENTS = 128, 8
SAMPLES = _STREAMS * _SEGMENTS
"""Answers behind each recorded accuracy."""


def has_learned(accuracy: NDArray[np.float64], task: EchoTask, memory_length: int) -> bool | None:
    """Whether a model is right four times in five where the source is in sight. None where it is in sight nowhere."""
    seen = in_sight(task.delay, len(accuracy), memory_length)
    return bool(accuracy[seen].mean() >= 0.8) if seen.any() else None


def cells() -> list[tuple[Kind, int, int]]:
    """All cells: (kind, D, training M). The vanilla model has one a D."""
    xl: list[tuple[Kind, int, int]] = [("xl", delay, rows) for delay in DELAYS for rows in TRAINED_M]
    return xl + [("vanilla", delay, 0) for delay in DELAYS]


def settings(kind: Kind, memory_length: int, seed: int) -> Settings:
    """How each model of the grid is trained. ``memory_length`` is the Transformer-XL's."""
    rows = memory_length if kind == "xl" else 0
    return Settings(kind, memory_length=rows, steps=STEPS[kind], batch_size=BATCH[kind], seed=seed)


def place(cell: Mapping[str, Any]) -> tuple[str, int, int]:
    """Where a cell stands in the grid."""
    return cell["kind"], cell["delay"], cell["trained_memory"]


def train_cell(kind: Kind, delay: int, memory_length: int, on_step: OnStep | None = None) -> dict[str, Any]:
    """One model of the grid: accuracy at each input position, for each test-time M (the vanilla model has only M = 0)."""
    task = EchoTask(delay)
    seen = in_sight(delay, settings(kind, memory_length, 0).segment_length, memory_length).any()
    for seed in range(SEEDS if seen else 1):
        run, last = train(task, settings(kind, memory_length, seed), on_step, early=True)
        if has_learned(measured(run.model, task, memory_length), task, memory_length) is not False:
            break
    return _cell(run.model, task, memory_length, seed, last.step)


def shipped_cell(name: str, folder: Path = shipped.FOLDER) -> dict[str, Any]:
    """A shipped model as a cell of the grid."""
    loaded = shipped.load(name, folder)
    own = loaded.card["settings"]
    return _cell(loaded.model, loaded.task, own["memory_length"], own["seed"], own["steps"])


def _cell(model: LanguageModel, task: EchoTask, memory_length: int, seed: int, steps: int) -> dict[str, Any]:
    kind = model.config.kind
    by_memory = {m: measured(model, task, m) for m in (TESTED_M if kind == "xl" else (0,))}
    own = by_memory[memory_length] if memory_length in by_memory else measured(model, task, memory_length)
    return {
        "kind": kind,
        "delay": task.delay,
        "trained_memory": memory_length,
        "seed": seed,
        "steps": steps,
        "learned": has_learned(own, task, memory_length),
        "accuracy": {str(m): [round(float(a), 4) for a in shares] for m, shares in by_memory.items()},
    }


def measured(model: LanguageModel, task: EchoTask, memory_length: int) -> NDArray[np.float64]:
    """(position) accuracy over ``SAMPLES`` answers each."""
    return accuracy_by_position(model, task, None, memory_length, n_streams=_STREAMS, n_segments=_SEGMENTS)
