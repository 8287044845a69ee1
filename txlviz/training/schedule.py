"""The learning rate over a run: linear warm-up, then a cosine."""

from __future__ import annotations

import math


def learning_rate(step: int, *, peak: float, warmup_steps: int, total_steps: int) -> float:
    """The rate of one step (from 0): up to ``peak`` over the warm-up, then down by a cosine to 2 % of it at the last step."""
    if step < warmup_steps:
        return peak * (step + 1) / warmup_steps
    done = (step - warmup_steps) / max(1, total_steps - 1 - warmup_steps)
    return peak * (0.02 + 0.98 * 0.5 * (1.0 + math.cos(math.pi * min(1.0, done))))
