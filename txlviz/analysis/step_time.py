"""How long one training step takes, both models of a preset in turn."""

from __future__ import annotations

import dataclasses
import statistics
import time
from collections.abc import Callable

import torch

from txlviz.training.presets import Preset
from txlviz.training.run import Run, TrainingData
from txlviz.training.world import World


def step_seconds(preset: Preset, rounds: int, done: Callable[[int], object] = lambda _: None) -> dict[str, float]:
    """Seconds of processor time of one training step: forward, backward, clipping and the optimizer's update.

    Of the Transformer-XL, the mean over the memory lengths that the preset draws, each by its share and by the median of its
    steps: a few drawn steps would say little about a length that is drawn once in fifty.

    The models take turns, so that what disturbs the machine disturbs all. Processor time of one thread, not the clock: on an
    idle machine they are the same, and on a busy one other work isn't counted. The tokens are random, which changes nothing in
    the work. Steps that fill the memory come first, and aren't timed.
    """
    generator = torch.Generator().manual_seed(0)
    draws, filling = preset.memory, 2 + -(-preset.memory.longest // preset.segment_length)
    # Streams so long that no epoch ends, which would empty the memory.
    n_tokens = (rounds + filling + 2) * preset.batch_size * preset.segment_length
    ids = torch.randint(preset.vocab_size, (n_tokens,), generator=generator)
    data = TrainingData(ids, ids[:0], 0, preset.vocab_size)
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        runs = [Run(preset, "vanilla", data, World())]
        for length in draws.lengths:
            always = dataclasses.replace(draws, lengths=(length,), shares=(1.0,))
            runs.append(Run(dataclasses.replace(preset, memory=always), "xl", data, World()))
        for run in runs:
            run.model.train()
            for _ in range(filling if run.model.has_memory else 2):
                run.train_step()
        times: list[list[float]] = [[] for _ in runs]
        for n in range(rounds):
            turns = list(zip(runs, times, strict=True))
            for run, found in turns if n % 2 == 0 else reversed(turns):
                start = time.process_time()
                run.train_step()
                found.append(time.process_time() - start)
            done(1)
    finally:
        torch.set_num_threads(threads)
    vanilla, *by_length = (statistics.median(found) for found in times)
    xl = sum(share * seconds for share, seconds in zip(draws.shares, by_length, strict=True))
    return {"xl": xl, "vanilla": vanilla}
