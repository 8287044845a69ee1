"""Claims 11 and 15: gradients stop at the boundary and information doesn't; and a memory isn't a longer segment."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import torch

from txlviz.analysis.evaluate import stream_losses
from txlviz.analysis.gradients import gradients
from txlviz.analysis.replaced import changes
from txlviz.claims.claim import CONDITIONS, HOLDS, NOT, Claim, Numbers, Verdict
from txlviz.claims.inputs import PRESETS, Inputs
from txlviz.models.attention import visible_keys
from txlviz.recorded import significant

SEGMENT, PLACE = 1, 40
"""The second segment's loss is asked; a token of the first is replaced."""
SAME_MEAN, SAME_TOKEN = 0.01, 1e-3
"""Nats: of the mean over a split, and of a token, where float32 rounds differently in other shapes."""
SHORT, LONG = 256, 512


def boundary(inputs: Inputs) -> Numbers:
    """The gradient that the loss of a segment sends to the segment before, and what replacing a token there changes."""
    found: Numbers = {"segment_length": 64, "memory_length": 64}
    for size in PRESETS:
        model = inputs.model(size, "xl")
        with_sg = gradients(model, inputs.text, 64, 64, segment=SEGMENT)
        without = gradients(model, inputs.text, 64, 64, segment=SEGMENT, stop_gradient=False)
        start = with_sg.start
        change = changes(model, inputs.text, 64, 64, replaced=PLACE, until=2 * start)
        top = change.size[-1, start:]
        found |= {
            f"states_{size}": int(with_sg.size[:, :start].size),
            f"gradient_{size}": float(with_sg.size[:, :start].max()),
            f"inside_{size}": significant(float(with_sg.size[:, start:].max())),
            f"gradient_without_{size}": significant(float(without.size[:, :start].max())),
            f"changed_{size}": int((top > 0).sum()),
            f"outputs_{size}": len(top),
            f"largest_change_{size}": significant(float(top.max())),
        }
    return found


def judge_boundary(numbers: Mapping[str, Any]) -> Verdict:
    """Is every gradient before the boundary exactly zero, while outputs behind it change?"""
    stops = all(numbers[f"gradient_{size}"] == 0 and numbers[f"inside_{size}"] > 0 for size in PRESETS)
    passes = all(numbers[f"changed_{size}"] > 0 for size in PRESETS)
    return HOLDS if stops and passes else NOT


def memory_or_segment(inputs: Inputs) -> Numbers:
    """Losses of valid in segments of 256 with a memory of 256, and in segments of 512 without memory; and who sees how much."""
    seen = {
        "short": visible_keys(SHORT, 2 * SHORT).sum(dim=1).double(),
        "long": visible_keys(LONG, LONG).sum(dim=1).double(),
    }
    found: Numbers = {f"keys_{name}": [int(n.min()), float(n.mean()), int(n.max())] for name, n in seen.items()}
    for size in PRESETS:
        model = inputs.model(size, "xl")
        ids = torch.tensor(model.inputs(inputs.valid.text))
        short = stream_losses(model.model, ids, SHORT, SHORT).double().numpy()
        long = stream_losses(model.model, ids, LONG, 0).double().numpy()
        gap = np.abs(short - long)
        at = np.arange(len(gap)) % LONG
        bins = [(short - long)[(at >= first) & (at < first + 32)].mean() for first in range(0, LONG, 32)]
        found |= {
            f"short_{size}": significant(float(short.mean())),
            f"long_{size}": significant(float(long.mean())),
            f"first_{size}": significant(float(gap[:LONG].max())),
            f"differ_{size}": significant(100 * float((gap[LONG:] > SAME_TOKEN).mean())),
            f"by_place_{size}": [significant(float(value)) for value in bins],
        }
        found["tokens"] = len(gap)
    return found


def judge_memory_or_segment(numbers: Mapping[str, Any]) -> Verdict:
    """Are the mean losses the same; or at least those of the first 512 tokens of a text?"""
    if all(abs(numbers[f"short_{size}"] - numbers[f"long_{size}"]) < SAME_MEAN for size in PRESETS):
        return HOLDS
    return CONDITIONS if all(numbers[f"first_{size}"] < SAME_TOKEN for size in PRESETS) else NOT


CLAIMS = (
    Claim(11, boundary, judge_boundary, live=True),
    Claim(15, memory_or_segment, judge_memory_or_segment, needs_corpus=True),
)
