"""How long one training step takes, both models of a preset in turn."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable

import torch

from txlviz.models.config import Kind
from txlviz.training.presets import Preset
from txlviz.training.run import Run, TrainingData
from txlviz.training.world import World

KINDS: tuple[Kind, Kind] = ("xl", "vanilla")


def step_seconds(preset: Preset, rounds: int, done: Callable[[int], object] = lambda _: None) -> dict[str, float]:
    """Median seconds of processor time of one training step: forward, backward, clipping and the optimizer's update.

    The models take turns, so that what disturbs the machine disturbs both. Processor time of one thread, not the clock: on an
    idle machine they are the same, and on a busy one other work isn't counted. The tokens are random, which changes nothing in
    the work. Steps that fill the memory come first, and aren't timed.
    """
    generator = torch.Generator().manual_seed(0)
    # Streams so long that no epoch ends, which would empty the memory.
    ids = torch.randint(
        preset.vocab_size, ((rounds + 10) * preset.batch_size * preset.segment_length * 2,), generator=generator
    )
    data = TrainingData(ids, ids[:0], 0, preset.vocab_size)
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        runs = {kind: Run(preset, kind, data, World()) for kind in KINDS}
        for run in runs.values():
            run.model.train()
            for _ in range(2 + -(-preset.memory.longest // preset.segment_length)):
                run.train_step()
        times: dict[str, list[float]] = {kind: [] for kind in KINDS}
        for n in range(rounds):
            for kind in KINDS if n % 2 == 0 else reversed(KINDS):
                start = time.process_time()
                runs[kind].train_step()
                times[kind].append(time.process_time() - start)
            done(1)
    finally:
        torch.set_num_threads(threads)
    return {kind: statistics.median(found) for kind, found in times.items()}
