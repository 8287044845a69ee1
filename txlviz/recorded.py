"""Recorded measurements: JSON files beside the checkpoints, each of which knows the weights that it was made with."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any


class RecordError(ValueError):
    """A record that is missing, can't be read, or was made with other weights. The message is one sentence for people."""


def write(path: Path, values: Mapping[str, Any], weights: Mapping[str, str]) -> None:
    """Writes ``values`` (what JSON can hold), a line a field.

    Args:
        weights: the SHA-256 of each model's weights, by a name such as ``xl``.
    """
    fields = {"sha256": dict(weights), **values}
    lines = [f" {json.dumps(key)}: {json.dumps(value, ensure_ascii=False, allow_nan=False)}" for key, value in fields.items()]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


def significant(value: float, digits: int = 5) -> float:
    """``value`` with as many digits as say something of a measurement."""
    return float(f"{value:.{digits}g}")


def read(path: Path, weights: Mapping[str, str | None]) -> dict[str, Any]:
    """Reads a record. RecordError where there is none, or where it was made with other weights than ``weights``."""
    try:
        values = json.loads(path.read_text(encoding="utf-8"))
        made_with = dict(values.pop("sha256"))
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise RecordError(f"{path}: there is no record that can be read ({error})") from error
    if made_with != dict(weights):
        raise RecordError(f"{path}: it was recorded with other weights than those that are here")
    return dict(values)
