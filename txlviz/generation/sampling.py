"""From scores over the vocabulary to one token."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor


@dataclass(frozen=True)
class Sampling:
    """How the next token is drawn. The defaults draw from the model's own distribution."""

    temperature: float = 1.0
    """Scores are divided by it. Below 1 the likely gets likelier; 0 takes the likeliest token, always (greedy)."""
    top_k: int | None = None
    """Only the k likeliest tokens can be drawn."""
    top_p: float | None = None
    """Only the smallest set of the likeliest tokens that together have at least this probability (nucleus sampling, Holtzman
    et al. 2020)."""
    repetition_penalty: float = 1.0
    """Tokens that were there before have positive scores divided by it, and negative ones multiplied (Keskar et al. 2019)."""

    def __post_init__(self) -> None:
        if not (math.isfinite(self.temperature) and self.temperature >= 0):
            raise ValueError(f"the temperature is {self.temperature}; it must be a number of at least 0")
        if self.top_k is not None and self.top_k < 1:
            raise ValueError(f"top-k is {self.top_k}; it must be at least 1")
        if self.top_p is not None and not 0 < self.top_p <= 1:
            raise ValueError(f"top-p is {self.top_p}; it must be more than 0 and at most 1")
        if not (math.isfinite(self.repetition_penalty) and self.repetition_penalty >= 1):
            raise ValueError(f"the repetition penalty is {self.repetition_penalty}; it must be at least 1")


def draw(logits: Tensor, before: Sequence[int], sampling: Sampling, generator: torch.Generator) -> int:
    """One token id from ``logits`` (V,), given the ids ``before`` it."""
    scores = logits.double()
    if sampling.repetition_penalty != 1.0 and before:
        seen = torch.tensor(sorted(set(before)))
        old = scores[seen]
        penalty = sampling.repetition_penalty
        scores = scores.index_copy(0, seen, torch.where(old > 0, old / penalty, old * penalty))
    if sampling.temperature == 0:
        return int(scores.argmax())
    return int(torch.multinomial(_probabilities(scores, sampling), 1, generator=generator))


def _probabilities(scores: Tensor, sampling: Sampling) -> Tensor:
    """(V,) what can be drawn, and how likely it is."""
    scores = (
        scores - scores.max()
    )  # before the division, so that a tiny temperature leaves a number, not infinity over infinity
    order = scores.argsort(descending=True, stable=True)
    kept = order[: sampling.top_k]
    probabilities = (scores[kept] / sampling.temperature).softmax(dim=0)
    if sampling.top_p is not None:
        before = probabilities.cumsum(dim=0) - probabilities
        probabilities = torch.where(before < sampling.top_p, probabilities, 0.0)
    return torch.zeros_like(scores).scatter(0, kept, probabilities)
