"""The record of what evaluation costs, ``eval_speed.json`` beside a preset's checkpoints: how its points are compared.

The Speed page and claim 9 both read their ratios here, so that they show one figure.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

FILE = "eval_speed.json"


def clock(point: Mapping[str, Any]) -> float:
    """How many times as fast the Transformer-XL scores a token, by the clock."""
    return float(point["vanilla_seconds"] / point["xl_seconds"])


def flops(point: Mapping[str, Any]) -> float:
    """How many times as few FLOPs it takes."""
    return float(point["vanilla_flops"] / point["xl_flops"])


def dense(point: Mapping[str, Any]) -> float:
    """The same, if the hidden half of the vanilla model's scores counts too."""
    return float(point["vanilla_flops_dense"] / point["xl_flops"])


def by_segment(point: Mapping[str, Any]) -> float:
    """How many times as few FLOPs against a window that moves by a whole segment, and so scores so many tokens at once."""
    return float(point["vanilla_segment_flops"] / point["xl_flops"])
