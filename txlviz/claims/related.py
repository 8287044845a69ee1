"""Claim 17: what rotary positions and ALiBi share with the Transformer-XL's score, and what not."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import torch
from torch import Tensor

from txlviz.analysis.attention_of import relative
from txlviz.claims.claim import NOT, OPEN, Claim, Numbers, Verdict
from txlviz.claims.inputs import Inputs
from txlviz.models.attention import RelativeAttention
from txlviz.models.encodings import ALiBi, PositionSystem, Rotary
from txlviz.models.positions import distances, sinusoids
from txlviz.models.system_config import SystemConfig
from txlviz.recorded import significant

SHIFT, KEYS = 37, 64
NOTHING = 1e-4
"""Of a score, float32: less is rounding."""
PROPERTIES = ("distance_only", "query_by_distance", "key_bonus", "distance_bonus", "learned")

Score = Callable[[Tensor, Tensor], Tensor]
"""(B, H, L, E) queries and (B, H, K, E) keys to scaled scores (B, H, L, K); query i stands at place K - L + i."""


def positions(inputs: Inputs) -> Numbers:
    """What the positions do to a score in each of three systems, tried on random queries and keys.

    The Transformer-XL's are the trained ones of the 2-layer model's first layer; the other two have nothing to train.
    """
    source = inputs.model("2l", "xl")
    config = source.config
    system = SystemConfig("system", config.vocab_size, 1, config.n_heads, config.d_model, config.d_inner)
    model, attention = relative(source, 0)
    with torch.inference_mode():
        scores: dict[str, tuple[Score, int]] = {
            "xl": _relative(attention, model.u[0], model.v[0], config.d_model),
            "rotary": _from_system(Rotary(system, 0), attention.scale),
            "alibi": _from_system(ALiBi(system, 0), attention.scale),
        }
        return {name: _properties(score, learned, config.n_heads, config.d_head) for name, (score, learned) in scores.items()}


def _properties(score: Score, learned: int, n_heads: int, width: int) -> dict[str, float]:
    """Sizes of what a system does, in scaled scores: 0 where it doesn't.

    ``moved``: all positions are moved by 37 under the same contents. ``query_by_distance``: what positions add, for one set of
    queries and for another. ``key_bonus``: what keys add under a query of zeros. ``distance_bonus``: the range, over distances,
    of the score of zeros; ``bend``: how far that is from a straight line of the distance, over its range.
    """
    draw = torch.Generator().manual_seed(0)
    q, other, k, before = (torch.randn(1, n_heads, KEYS, width, generator=draw) for _ in range(4))
    seen = torch.ones(KEYS, KEYS, dtype=torch.bool).tril()
    zero = torch.zeros_like(q)
    shifted = score(q, torch.cat([before[:, :, :SHIFT], k], dim=2))[..., SHIFT:]

    def added(queries: Tensor) -> Tensor:  # by the distance alone: the same content at distance i - j and at the last place
        return score(queries, k) - (queries @ k.transpose(-1, -2)) / math.sqrt(width)

    bonus = score(zero, zero)[0]
    line = bonus[:, -1].flip(-1).double().numpy()  # (H, K) by distance
    bend = max(_bend(row) for row in line)
    return {
        "moved": _size(shifted - score(q, k), seen),
        "query_by_distance": _size(added(q) - added(other), seen),
        "key_bonus": _size(score(zero, k) - score(zero, zero), seen),
        "distance_bonus": significant(float(np.ptp(line, axis=1).max()), 3),
        "bend": bend,
        "learned": learned,
    }


def _size(values: Tensor, seen: Tensor) -> float:
    return significant(float(values[..., seen].abs().max()), 3)


def _bend(row: Any) -> float:
    """0 for a straight line, and where nothing depends on the distance."""
    span = float(np.ptp(row))
    if span < NOTHING:
        return 0.0
    place = np.arange(len(row))
    return significant(float(np.abs(row - np.polyval(np.polyfit(place, row, 1), place)).max() / span), 3)


def _relative(attention: RelativeAttention, u: Tensor, v: Tensor, d_model: int) -> tuple[Score, int]:
    def score(q: Tensor, k: Tensor) -> Tensor:
        r = attention.project_positions(sinusoids(distances(k.shape[2]), d_model))
        return torch.stack(list(attention.terms(q, k, r, u, v).values())).sum(dim=0) * attention.scale

    return score, _learned(attention.w_r, u, v)


def _from_system(system: PositionSystem, scale: float) -> tuple[Score, int]:
    def score(q: Tensor, k: Tensor) -> Tensor:
        turned, keys = system.rotated(q, k)
        total = (turned @ keys.transpose(-1, -2)) * scale
        bias = system.bias(q, k, scale)
        return total if bias is None else total + bias

    return score, _learned(*system.parameters())


def _learned(*parts: Any) -> int:
    """Trainable numbers of parameters and modules."""
    return sum(p.numel() if isinstance(p, Tensor) else sum(q.numel() for q in p.parameters()) for p in parts)


def shared(numbers: Mapping[str, Any]) -> dict[str, dict[str, bool]]:
    """By system, which of ``PROPERTIES`` it has."""
    return {
        name: {
            "distance_only": one["moved"] < NOTHING,
            **{what: one[what] >= NOTHING for what in ("query_by_distance", "key_bonus", "distance_bonus")},
            "learned": one["learned"] > 0,
        }
        for name, one in numbers.items()
    }


def judge_positions(numbers: Mapping[str, Any]) -> Verdict:
    """Does one lack even that only the distance counts? If not, it stays open: sharing isn't descent."""
    has = shared(numbers)
    return OPEN if all(has[name]["distance_only"] for name in ("rotary", "alibi")) else NOT


CLAIMS = (Claim(17, positions, judge_positions, live=True),)
