"""What claims measured: from the record at once, and computed again where that is quick."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import txlviz
from txlviz.analysis.context_record import FACTS
from txlviz.claims import CLAIMS, Inputs, Verdict, measured, record, said
from txlviz.claims.inputs import KINDS, PRESETS
from txlviz.ui import models

CLOSE = 1e-3
"""Relative difference below which a number counts as the recorded one; processors round differently."""


@dataclass(frozen=True)
class Result:
    """A claim's numbers, and what follows from them."""

    numbers: Mapping[str, Any]
    verdict: Verdict
    recorded: bool


def recorded() -> dict[int, Result]:
    """All recorded claims, judged by the rules of today. RecordError where there is no record of the shipped weights."""
    path = models.CHECKPOINTS / record.FILE
    return _read(path, models.stamp(path))


@lru_cache(maxsize=4)
def _read(path: Path, stamp: int) -> dict[int, Result]:
    """``stamp`` changes when the file is written anew. Claims without the numbers that are asked for now are left out."""
    found = {}
    for number, numbers in record.read(path.parent).items():
        try:
            said.answer(number, numbers), said.short(number, numbers)
            found[number] = judged(number, numbers)
        except (KeyError, TypeError, ValueError, IndexError):
            continue
    return found


def judged(number: int, numbers: Mapping[str, Any], *, recorded: bool = True) -> Result:
    """Numbers with their verdict."""
    return Result(numbers, CLAIMS[number].judge(numbers), recorded)


def live(number: int) -> Result:
    """A live claim, computed now, or found among what was computed before. RecordError where a record is missing."""
    pairs = tuple(models.checkpoint(preset, kind) for preset in PRESETS.values() for kind in KINDS)
    stamps = tuple(models.stamp(models.CHECKPOINTS / preset / FACTS) for preset in PRESETS.values())  # some read this record
    return judged(number, models.remembered(_measure, pairs, number, stamps), recorded=False)


def _measure(pairs: tuple[txlviz.Checkpoint, ...], number: int, stamps: tuple[int, ...]) -> dict[str, Any]:
    known = {source.path: source for source in pairs}
    inputs = Inputs(models.CHECKPOINTS, load=lambda folder: known.get(folder) or txlviz.load(folder))
    return dict(measured(CLAIMS[number], inputs).numbers)


def agreement(number: int, now: Mapping[str, Any], before: Mapping[str, Any]) -> tuple[int, int]:
    """How many numbers are as recorded, and of how many; those by the clock aren't compared."""
    steady = {name: value for name, value in now.items() if not _by_clock(number, name)}
    return sum(_same(value, before.get(name)) for name, value in steady.items()), len(steady)


def _by_clock(number: int, name: str) -> bool:
    return any(name == base or name.rsplit("_", 1)[0] == base for base in CLAIMS[number].by_clock)


def _same(value: Any, other: Any) -> bool:
    if isinstance(value, Mapping):
        return isinstance(other, Mapping) and all(_same(one, other.get(name)) for name, one in value.items())
    if isinstance(value, list):
        return isinstance(other, list) and len(value) == len(other) and all(map(_same, value, other))
    if isinstance(value, float) and isinstance(other, int | float):
        return abs(value - other) <= max(CLOSE * abs(other), 1e-5)
    return bool(value == other)
