"""Attention with linear biases (Press et al. 2022, ALiBi, section 3)."""

from __future__ import annotations

import math

import torch
from torch import Tensor

from txlviz.models.encodings.base import PositionSystem
from txlviz.models.system_config import SystemConfig


class ALiBi(PositionSystem):
    """-m (i - j) is added to each score, with one fixed slope m a head. The bias isn't divided by sqrt(E); nothing is
    learned."""

    slopes: Tensor

    def __init__(self, config: SystemConfig, layer: int) -> None:
        super().__init__(config, layer)
        self.register_buffer("slopes", torch.tensor(slopes(config.n_heads)), persistent=False)  # (H,)

    def bias(self, q: Tensor, k: Tensor, scale: float) -> Tensor | None:
        """(1, H, L, K) -m (i - j)."""
        n_queries, n_keys = q.shape[2], k.shape[2]
        i = torch.arange(n_keys - n_queries, n_keys)[:, None]
        distance = (i - torch.arange(n_keys)).to(q.dtype)
        return (-self.slopes.to(q.dtype)[:, None, None] * distance)[None]


def slopes(n_heads: int) -> list[float]:
    """One slope a head. For 8 heads: 1/2, 1/4, …, 1/256, in general a geometric sequence from 2^(-8/H) on, with that ratio.

    For a number that isn't a power of two, the authors' code takes those of the next lower power, and then every second one of
    the next higher.
    """
    lower = 2 ** math.floor(math.log2(n_heads))
    taken = [2.0 ** (-8.0 * (h + 1) / lower) for h in range(lower)]
    between = [2.0 ** (-8.0 * (h + 1) / (2 * lower)) for h in range(0, 2 * lower, 2)]
    return taken + between[: n_heads - lower]
