"""Whether a record is what would be measured today: of these weights, with this code, from these other records."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

from txlviz.checkpoint import CONFIG, WEIGHTS
from txlviz.commands.measure.plan import Record
from txlviz.recorded import CODE, MADE_FROM, content, made_with, stamp
from txlviz.recorded import WEIGHTS as OF_WEIGHTS
from txlviz.source_digest import digest

_MEMORIES = ("memory_length", "trained_memory")  # as records call the M of the Transformer-XL that was measured


def mismatch(record: Record, folder: Path) -> str | None:
    """Why a record isn't one of the weights in ``folder``, in words. None where it is."""
    path = folder / record.path
    known = made_with(path).get(OF_WEIGHTS)
    if not isinstance(known, dict):
        return "there is none that can be read" if path.exists() else "there is none"
    for name, checkpoint in record.weights.items():
        weights = folder / checkpoint / WEIGHTS
        if not weights.exists():
            return f"{checkpoint} has no weights"
        if _sha256(weights) != known.get(name):
            return f"{checkpoint} has other weights"
    values = json.loads(path.read_text(encoding="utf-8"))
    for field in _MEMORIES:
        if field in values and values[field] != (now := _memory(folder / record.weights["xl"])):
            return f"it was measured with M = {values[field]}, and the model's own is {now}"
    return None


def stale(record: Record, folder: Path) -> str | None:
    """Why a record is to be measured anew, in words. None where it is fresh."""
    if reason := mismatch(record, folder):
        return reason
    known = made_with(folder / record.path)
    if CODE not in known:
        return "the code that made it isn't known"
    if known[CODE] != digest(record.by):
        return "the code that measures it has changed"
    changed = [one for one, now in _sources(record, folder).items() if known.get(MADE_FROM, {}).get(one) != now]
    return f"{changed[0]} has other values than it was made from" if changed else None


def accept(record: Record, folder: Path) -> None:
    """Stamps a record as made with the code and from the records of today, without measuring."""
    sources = _sources(record, folder)
    stamp(folder / record.path, {CODE: digest(record.by), **({MADE_FROM: sources} if sources else {})})


def _sources(record: Record, folder: Path) -> dict[str, str]:
    """The digests of the values that the record is made from; of one that can't be read, none."""
    found = {}
    for one in record.made_from:
        try:
            found[one] = content(folder / one)
        except (OSError, ValueError):
            found[one] = ""
    return found


def _memory(checkpoint: Path) -> Any:
    """The M in a Transformer-XL's config."""
    return json.loads((checkpoint / CONFIG).read_text(encoding="utf-8")).get("mem_len")


def _sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()
