"""Recorded measurements: JSON files beside the checkpoints, each of which knows the weights and the code that made it."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from txlviz.source_digest import digest

WEIGHTS, CODE, MADE_FROM = "sha256", "code", "made_from"
"""Fields beside the values: what the record was made with. ``made_from``: other records, by path, with their ``content``."""


class RecordError(ValueError):
    """A record that is missing, can't be read, or was made with other weights. The message is one sentence for people."""


def write(
    path: Path, values: Mapping[str, Any], weights: Mapping[str, str], by: str | None = None, *, partly: bool = False
) -> None:
    """Writes ``values`` (what JSON can hold), a line a field.

    Args:
        weights: the SHA-256 of each model's weights, by a name such as ``xl``.
        by: the module that measured, whose ``source_digest`` is written too. None: what code made them isn't known.
        partly: whether some of the values stood in the record before. Then the code counts as known only if it's the same.
    """
    code = digest(by) if by is not None else None
    if partly and code != made_with(path).get(CODE):
        code = None
    fields = {WEIGHTS: dict(weights), **({} if code is None else {CODE: code}), **values}
    lines = [f" {json.dumps(key)}: {json.dumps(value, ensure_ascii=False, allow_nan=False)}" for key, value in fields.items()]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


def stamp(path: Path, fields: Mapping[str, Any]) -> None:
    """Writes ``code`` or ``made_from`` into a record, or a card, and leaves its other lines as they are."""
    text = path.read_text(encoding="utf-8")
    for name, value in fields.items():
        text = re.sub(rf'^ "{name}": .*,\n', "", text, flags=re.MULTILINE)
        text = text.replace("{\n", f"{{\n {json.dumps(name)}: {json.dumps(value)},\n", 1)
    path.write_text(text, encoding="utf-8")


def made_with(path: Path) -> dict[str, Any]:
    """``sha256``, and ``code`` and ``made_from`` where they are known. Empty where there is no record that can be read."""
    try:
        values = json.loads(path.read_text(encoding="utf-8"))
        return {name: values[name] for name in (WEIGHTS, CODE, MADE_FROM) if name in values}
    except (OSError, ValueError, TypeError):
        return {}


def content(path: Path) -> str:
    """A digest of a record's values, whatever made them. OSError or ValueError where there are none."""
    values = json.loads(path.read_text(encoding="utf-8"))
    rest = {name: value for name, value in values.items() if name not in (CODE, MADE_FROM)}
    return hashlib.sha256(json.dumps(rest, sort_keys=True).encode()).hexdigest()


def significant(value: float, digits: int = 5) -> float:
    """``value`` with as many digits as say something of a measurement."""
    return float(f"{value:.{digits}g}")


def read(path: Path, weights: Mapping[str, str | None]) -> dict[str, Any]:
    """Reads a record. RecordError where there is none, or where it was made with other weights than ``weights``."""
    try:
        values = json.loads(path.read_text(encoding="utf-8"))
        with_weights = dict(values.pop(WEIGHTS))
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise RecordError(f"{path}: there is no record that can be read ({error})") from error
    if with_weights != dict(weights):
        raise RecordError(f"{path}: it was recorded with other weights than those that are here")
    return {name: value for name, value in values.items() if name not in (CODE, MADE_FROM)}
