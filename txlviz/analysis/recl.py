"""Relative effective context length (Dai et al. 2019, appendix C): up to where longer context helps a group of models."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

THRESHOLD = 0.01
"""A gain below 1 % of the perplexity counts as none."""

Losses = npt.NDArray[np.floating[Any]]


@dataclass(frozen=True)
class Effective:
    """One model's result."""

    length: int
    """(c) where it stopped."""
    at_least: bool
    """The contexts ended before it stopped: the true length may be longer ("≥")."""
    gains: tuple[float, ...]
    """g(c, c + Δ) for each context but the last, by the paper's definition."""
    mean_gains: tuple[float, ...]
    """Fall in this model's own mean loss over the same positions, nats. The minimum with b in the paper's gain rewards noise: a
    model whose mean loss rises can still "gain"."""


def relative_effective_context(losses: Mapping[str, Losses], contexts: Sequence[int], r: float = 0.1) -> dict[str, int]:
    """The RECL of each model of the group, in tokens; see ``effective_contexts``."""
    return {name: found.length for name, found in effective_contexts(losses, contexts, r).items()}


def effective_contexts(losses: Mapping[str, Losses], contexts: Sequence[int], r: float = 0.1) -> dict[str, Effective]:
    """Relative effective context lengths.

    With ℓ_i(c, t) the loss of model i at position t given c tokens, and b(c, t) = min_i ℓ_i(c, t): T is the top r share of
    positions by b(c, t), f_i(c, c') = mean over T of min(b(c, t), ℓ_i(c', t)), and the gain
    g_i(c, c') = (exp f_i(c, c) - exp f_i(c, c')) / exp f_i(c, c). From the first context on, a model goes to the next one while
    its gain is at least 1 %.

    Args:
        losses: name -> (context, target) nats, over the same targets for all models.
        contexts: in equal steps of Δ, growing.
        r: share of the positions that are the hardest for the group, more than 0 and at most 1.

    Raises:
        ValueError: shapes or contexts don't fit.
    """
    tables = _checked(losses, contexts, r)
    best = np.minimum.reduce(list(tables.values()))  # b
    n = best.shape[1]
    kept = max(1, round(r * n))
    found = {}
    for name, own in tables.items():
        gains, mean_gains = [], []
        for at in range(len(contexts) - 1):
            hardest = np.argsort(-best[at], kind="stable")[:kept]  # ties by position
            before = np.minimum(best[at], own[at])[hardest].mean()  # f(c, c), which is the mean of b: equal for all models
            after = np.minimum(best[at], own[at + 1])[hardest].mean()
            gains.append(float(1 - np.exp(after - before)))
            mean_gains.append(float((own[at] - own[at + 1])[hardest].mean()))
        stop = next((at for at, gain in enumerate(gains) if gain < THRESHOLD), len(gains))
        found[name] = Effective(int(contexts[stop]), stop == len(gains), tuple(gains), tuple(mean_gains))
    return found


def _checked(losses: Mapping[str, Losses], contexts: Sequence[int], r: float) -> dict[str, Losses]:
    if not losses:
        raise ValueError("there is no model in the group")
    tables: dict[str, Losses] = {name: np.asarray(table, dtype=np.float64) for name, table in losses.items()}
    shapes = {table.shape for table in tables.values()}
    if len(shapes) > 1 or any(len(shape) != 2 or not shape[1] for shape in shapes):
        raise ValueError(f"the losses must be (context, target) over the same targets; their shapes are {sorted(shapes)}")
    if next(iter(shapes))[0] != len(contexts):
        raise ValueError(f"there are {len(contexts)} contexts and losses for {next(iter(shapes))[0]}")
    steps = set(np.diff(np.asarray(contexts)).tolist())
    if len(contexts) > 1 and (len(steps) > 1 or min(steps) <= 0):
        raise ValueError(f"the contexts must grow in equal steps; they are {list(contexts)}")
    if not 0 < r <= 1:
        raise ValueError(f"r is {r}; it must be more than 0 and at most 1")
    return tables
