"""What the study counts: scores from losses, how two models' losses differ token by token, and who learns faster."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from txlviz.analysis.evaluate import Evaluation

Values = npt.NDArray[np.floating[Any]]

BIN = 0.25
LIMIT = 4.0


@dataclass(frozen=True)
class Difference:
    """Loss of one model minus that of another, token by token; positive where the other is better."""

    edges: tuple[float, ...]
    """Of the bins, in nats; what lies beyond the first or the last edge counts in the first or the last bin."""
    counts: tuple[int, ...]
    """Tokens in each bin: from its lower edge up to its upper, which isn't in it."""
    lost: float
    """(0 to 1) share of tokens on which the other model is worse."""
    mean: float
    """Nats a token."""
    mean_won: float
    """Nats a token, over the tokens on which the other model is better."""
    mean_lost: float
    """The same over those on which it is worse, as a positive number."""


def scores(losses: Values, text: str, words: int, *, L: int, M: int, stride: int) -> Evaluation:
    """The three perplexities from the losses (T,) of all tokens of ``text``, read as one stream. See ``evaluate``."""
    nats = float(losses.astype(np.float64).sum())
    return Evaluation(
        token_perplexity=math.exp(nats / len(losses)),
        word_perplexity=math.exp(nats / words),
        bits_per_byte=nats / math.log(2) / len(text.encode()),
        tokens=len(losses),
        words=words,
        segment_length=L,
        memory_length=M,
        batch_size=1,
        stride=stride,
    )


def difference(losses: Values, other: Values) -> Difference:
    """``losses`` minus ``other``, both (T,) nats of the same tokens."""
    gap = losses.astype(np.float64) - other.astype(np.float64)
    edges = np.arange(-LIMIT, LIMIT + BIN / 2, BIN)
    inside = np.clip(np.floor((gap + LIMIT) / BIN).astype(int), 0, len(edges) - 2)
    won, lost = gap[gap > 0], gap[gap < 0]
    return Difference(
        edges=tuple(edges.tolist()),
        counts=tuple(np.bincount(inside, minlength=len(edges) - 1).tolist()),
        lost=float(np.mean(gap < 0)),
        mean=float(gap.mean()),
        mean_won=float(won.mean()) if len(won) else 0.0,
        mean_lost=float(-lost.mean()) if len(lost) else 0.0,
    )


def percent_lower(perplexity: float, than: float) -> float:
    """By how many percent a perplexity is lower than another; negative where it is higher."""
    return 100 * (1 - perplexity / than)


def points_below(
    places: Sequence[float], losses: Sequence[float], other_places: Sequence[float], other_losses: Sequence[float]
) -> tuple[int, int]:
    """At how many points of the other curve this one lies below it, on straight lines between its own; and of how many.

    Points of the other curve before this one's first or after its last aren't compared.
    """
    compared = [(x, y) for x, y in zip(other_places, other_losses, strict=True) if places[0] <= x <= places[-1]]
    below = sum(float(np.interp(x, places, losses)) < y for x, y in compared)
    return below, len(compared)


def first_reached(steps: Sequence[float], losses: Sequence[float], target: float) -> float | None:
    """The step at which a curve first comes down to ``target``, on straight lines between its points; None: never."""
    before: tuple[float, float] | None = None
    for step, loss in zip(steps, losses, strict=True):
        if loss <= target:
            if before is None:
                return step
            share = (before[1] - target) / (before[1] - loss)
            return before[0] + share * (step - before[0])
        before = (step, loss)
    return None
