"""Rotary positions (Su et al. 2021, RoFormer, section 3.2)."""

from __future__ import annotations

import torch
from torch import Tensor

from txlviz.models.encodings.base import PositionSystem


class Rotary(PositionSystem):
    """q_i and k_j are turned by their own places, so that their product depends on the places through i - j alone.

    Numbers 2t and 2t + 1 of a head form a plane, which place p turns by the angle p · 10000^(-2t/E) (eq. 15). Nothing is
    learned.
    """

    def rotated(self, q: Tensor, k: Tensor) -> tuple[Tensor, Tensor]:
        """R_i q_i and R_j k_j."""
        n_queries, n_keys = q.shape[2], k.shape[2]
        places = torch.arange(n_keys)
        return turned(q, places[n_keys - n_queries :]), turned(k, places)

    def part(self, q: Tensor, k: Tensor, scale: float) -> Tensor | None:
        """(B, H, L, K) the score with the turn less the score without it: what the turn changes."""
        query, key = self.rotated(q, k)
        return (query @ key.transpose(-1, -2) - q @ k.transpose(-1, -2)) * scale


def turned(x: Tensor, places: Tensor) -> Tensor:
    """(…, n, E) each row turned by its place (n,), by eq. 34: x * cos + (-x_1, x_0, -x_3, x_2, …) * sin. E is even."""
    width = x.shape[-1]
    rate = 10000.0 ** (-torch.arange(0, width, 2, dtype=torch.float64) / width)
    angles = places.to(torch.float64)[:, None] * rate  # (n, E/2)
    cos, sin = angles.cos().to(x.dtype), angles.sin().to(x.dtype)
    even, odd = x[..., 0::2], x[..., 1::2]
    return torch.stack([even * cos - odd * sin, odd * cos + even * sin], dim=-1).flatten(-2)
