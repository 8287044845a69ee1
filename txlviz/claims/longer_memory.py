"""Claim 23: a memory several times longer than in training, from the recorded losses by M, whatever M were recorded."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from txlviz.analysis.paper import ATTENTION_LENGTHS
from txlviz.claims.claim import CONDITIONS, HOLDS, NOT, OPEN, Claim, Numbers, Verdict
from txlviz.claims.inputs import PRESETS, Inputs
from txlviz.recorded import significant

SEVERAL = 3
SAME = 0.01
"""Nats a token by which the loss may lie above that with the longest memory of training, and still count as working."""
SMALL = {"xl": "xl-recurrent-full", "shaw": "shaw-recurrent-full"}
"""Runs of the landscape with recurrence, by encoding."""
GROUPS = (*PRESETS, "small_xl")
"""What is judged: the Transformer-XLs; Shaw et al.'s encoding stands beside them."""


def by_memory(inputs: Inputs) -> Numbers:
    """Loss on valid against M, from the cards and the record of the landscape, and how it moves beyond the M of training."""
    paper = [significant(after / before, 2) for before, after in ATTENTION_LENGTHS.values()]
    found: Numbers = {"paper_trained": [], "paper_read": [], "paper_times": paper}
    for before, after in ATTENTION_LENGTHS.values():
        found["paper_trained"].append(before)
        found["paper_read"].append(after)
    for size in PRESETS:
        card = inputs.model(size, "xl").card
        known = {int(M): float(loss) for M, loss in card["valid_loss_by_memory"].items()}
        found |= _beyond(size, known, card["settings"]["memory"]["lengths"])
    for encoding, run in SMALL.items():
        found |= _beyond(f"small_{encoding}", inputs.landscape_loss_by_memory(run), inputs.landscape_memories())
    return found


def _beyond(name: str, losses: Mapping[int, float], trained: Sequence[int]) -> Numbers:
    """One model's numbers. ``change``, ``least`` and ``most``: at the longest M, and over all beyond training; 0 if none is."""
    lengths = sorted(losses)
    longest = max(trained)
    beyond = [length for length in lengths if length > longest]
    base = losses[max(length for length in lengths if length <= longest)]
    moves = [significant(losses[length] - base, 3) for length in beyond] or [0.0]
    return {
        f"trained_{name}": longest,
        f"lengths_{name}": lengths,
        f"losses_{name}": [losses[length] for length in lengths],
        f"longest_{name}": lengths[-1],
        f"times_{name}": significant(lengths[-1] / longest, 3),
        f"change_{name}": moves[-1],
        f"least_{name}": min(moves),
        f"most_{name}": max(moves),
    }


def judge(numbers: Mapping[str, Any]) -> Verdict:
    """Does every recorded longer memory work, up to several times as long; or some?"""
    tried = [name for name in GROUPS if numbers[f"longest_{name}"] > numbers[f"trained_{name}"]]
    if not tried:
        return OPEN
    if all(numbers[f"most_{name}"] <= SAME and numbers[f"times_{name}"] >= SEVERAL for name in tried):
        return HOLDS
    return CONDITIONS if any(numbers[f"least_{name}"] <= SAME for name in tried) else NOT


CLAIMS = (
    Claim(
        23,
        by_memory,
        judge,
        live=True,
        made_by=(f"measure landscape --only {' '.join(SMALL.values())}",),
        trained_by=tuple(f"train {preset} xl --threads 1" for preset in PRESETS.values()),
    ),
)
