"""Claim 2: who lowers the loss faster in training, by tokens and by seconds apart."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from txlviz.analysis.study import first_reached, points_below
from txlviz.claims.claim import Claim, Numbers, Verdict, graded
from txlviz.claims.inputs import KINDS, PRESETS, Inputs
from txlviz.recorded import significant


def pace(inputs: Inputs) -> Numbers:
    """From the curves on valid in the models' cards, and the recorded time of a training step.

    ``tokens`` and ``time``: what the Transformer-XL needed to come down to the vanilla model's last loss, in per cent of what
    that model needed. ``below_*``: at how many of the vanilla model's points it is lower at equal tokens, or equal time.
    """
    found: Numbers = {}
    for size in PRESETS:
        seconds = inputs.record(size, "study.json")["steps"]["seconds"]
        curves = {kind: _validation(inputs.model(size, kind).card["curve"]) for kind in KINDS}
        (steps, losses), (others, targets) = curves["xl"], curves["vanilla"]
        reached = first_reached(steps, losses, targets[-1])
        ratio = seconds["xl"] / seconds["vanilla"]
        share = None if reached is None else reached / others[-1]
        timed = {kind: [step * seconds[kind] for step in curves[kind][0]] for kind in KINDS}
        found |= {
            f"ahead_{size}": significant(targets[-1] - losses[-1]),
            f"step_ratio_{size}": significant(ratio),
            f"tokens_{size}": None if share is None else significant(100 * share),
            f"time_{size}": None if share is None else significant(100 * share * ratio),
            f"points_{size}": len(others),
            f"below_tokens_{size}": points_below(steps, losses, others, targets)[0],
            f"below_time_{size}": points_below(timed["xl"], losses, timed["vanilla"], targets)[0],
            f"timed_points_{size}": points_below(timed["xl"], losses, timed["vanilla"], targets)[1],
        }
    return found


def _validation(curve: Mapping[str, Any]) -> tuple[list[int], list[float]]:
    """Steps and losses on valid."""
    known = [(step, loss) for step, loss in zip(curve["step"], curve["valid_loss"], strict=True) if loss is not None]
    return [step for step, _ in known], [loss for _, loss in known]


def judge(numbers: Mapping[str, Any]) -> Verdict:
    """Faster: it needs less to reach the other's last loss, and is lower at more than half of the points."""

    def faster(by: str, size: str) -> bool:
        share, points = numbers[f"{by}_{size}"], numbers[f"{'timed_' if by == 'time' else ''}points_{size}"]
        return share is not None and share < 100 and numbers[f"below_{by}_{size}"] > points / 2

    tokens = all(faster("tokens", size) for size in PRESETS)
    return graded(tokens and all(faster("time", size) for size in PRESETS), tokens)


CLAIMS = (
    Claim(
        2,
        pace,
        judge,
        made_by=tuple(f"measure study {preset} steps" for preset in PRESETS.values()),
        trained_by=tuple(f"train {preset} {kind} --threads 1" for preset in PRESETS.values() for kind in KINDS),
    ),
)
