"""The relay experiment: what it takes to learn to pass a token on through the memory.

The memory is too short for one look, but the span of two layers is long enough: the first layer would have to write, for a
later segment, what no loss of its own segment asks for. With stop-gradient nothing teaches that. With gradients through the
last k segments something could. Does it?
"""

from __future__ import annotations

from typing import Any

import numpy as np

from txlviz.tasks.echo import EchoTask
from txlviz.tasks.grid import measured
from txlviz.tasks.training import EchoRun, OnStep, Settings

DELAY, LENGTH, MEMORY, CONTROL = 17, 8, 8, 16
SEGMENTS = 8_000
SEEDS = 4
KS = (1, 2, 3, 4)


def runs() -> list[tuple[int, int, int]]:
    """All runs: (k, seed, M)."""
    relays = [(k, seed, MEMORY) for seed in range(SEEDS) for k in KS]
    return relays + [(1, seed, CONTROL) for seed in range(SEEDS)]


_BLOCKS = 40  # points of a relay run's curve


def train_run(k: int, seed: int, memory_length: int = MEMORY, on_step: OnStep | None = None) -> dict[str, Any]:
    """One run of the relay experiment: two layers, L = M = 8, D = 17, so that the source is 16 back from the input.

    One look reaches 8 to 15 tokens back, so never far enough. Two, one in each layer, reach at least 16 from every position.
    All runs may read the same number of segments; with a larger k they take fewer steps. ``memory_length`` 16 is the control:
    there one look is enough.
    """
    task = EchoTask(DELAY)
    settings = Settings(
        segment_length=LENGTH,
        memory_length=memory_length,
        batch_size=32,
        gradient_segments=k,
        steps=SEGMENTS // k,
        seed=seed,
    )
    run = EchoRun(task, settings)
    every = settings.steps // _BLOCKS
    recent: list[float] = []
    curve: list[float] = []
    for step in run:
        recent.append(step.accuracy)
        if on_step:
            on_step(step)
        if step.step % every == 0:
            curve.append(round(float(np.mean(recent)), 4))
            recent = []
            if curve[-1] >= 0.85:  # learned: the rest would be a flat line
                break
    run.model.eval()
    accuracy = measured(run.model, task, memory_length)
    return {
        "gradient_segments": k,
        "memory": memory_length,
        "seed": seed,
        "steps": step.step,
        "segments_a_point": every * k,
        "learned": bool(accuracy.mean() >= 0.8),
        "accuracy": [round(float(a), 4) for a in accuracy],
        "curve": curve,
    }
