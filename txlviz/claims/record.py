"""The recorded claims: ``checkpoints/claims.json``, a line a claim."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from txlviz import recorded
from txlviz.checkpoint import CARD, WEIGHTS
from txlviz.claims.inputs import KINDS, PRESETS
from txlviz.recorded import RecordError

FILE = "claims.json"


def weights(folder: Path) -> dict[str, str]:
    """The SHA-256 of the four shipped models' weights, as their cards say; RecordError where one has none."""
    found = {}
    for preset in PRESETS.values():
        for kind in KINDS:
            path = folder / preset / kind / CARD
            try:
                found[f"{preset}/{kind}"] = str(json.loads(path.read_text(encoding="utf-8"))["sha256"][WEIGHTS])
            except (OSError, ValueError, KeyError, TypeError) as error:
                raise RecordError(f"{path}: there is no card that can be read ({error})") from error
    return found


def read(folder: Path) -> dict[int, dict[str, Any]]:
    """The numbers of each recorded claim. RecordError where there is no record of the weights that are here."""
    values = recorded.read(folder / FILE, weights(folder))
    try:
        return {int(number): dict(numbers) for number, numbers in values.items()}
    except (TypeError, ValueError) as error:
        raise RecordError(f"{folder / FILE}: it isn't a record of claims") from error


def update(folder: Path, measured: Mapping[int, Mapping[str, Any]]) -> None:
    """Writes the numbers of claims; others stay as they were recorded with the same weights."""
    try:
        before = read(folder)
    except RecordError:
        before = {}
    now = before | {number: dict(numbers) for number, numbers in measured.items()}
    recorded.write(folder / FILE, {str(number): now[number] for number in sorted(now)}, weights(folder))
