"""Runs of a measuring command, each kept in a file of its own, so that a stopped command goes on where it was."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from tqdm import tqdm

Made = dict[str, Any]


def each(folder: Path, places: Sequence[tuple[Any, ...]], make: Callable[[tuple[Any, ...]], Made]) -> None:
    """Makes each run that isn't there yet, and keeps it in a file of its own."""
    folder.mkdir(parents=True, exist_ok=True)
    for place in tqdm(places, desc=folder.name, file=sys.stderr):
        path = folder / f"{'-'.join(str(part) for part in place)}.json"
        if not path.exists():
            path.write_text(json.dumps(make(place)), encoding="utf-8")


def kept(folder: Path) -> list[Made]:
    """What runs there are, in the order of their files' names."""
    return [json.loads(path.read_text(encoding="utf-8")) for path in sorted(folder.glob("*.json"))]
