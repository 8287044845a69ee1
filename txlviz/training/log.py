"""The log of a run: one JSON object a line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from txlviz.training.state import ResumeError

LOG = "log.jsonl"


class Log:
    """Appends entries, each with a ``step``. Opened at a step, it drops what an interrupted run wrote after it.

    ResumeError where the log doesn't reach that step: its curve would have a gap.
    """

    def __init__(self, folder: Path, *, from_step: int) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._path = folder / LOG
        kept = [entry for entry in read(self._path) if entry["step"] <= from_step] if from_step else []
        if from_step and (not kept or kept[-1]["step"] != from_step):
            raise ResumeError(f"{self._path}: it doesn't reach step {from_step}, where the saved state stands: start anew")
        text = "".join(json.dumps(entry) + "\n" for entry in kept)
        beside = self._path.with_suffix(".new")
        beside.write_text(text, encoding="utf-8")
        beside.replace(self._path)

    def write(self, **entry: Any) -> None:
        """Adds one line; a reader sees it at once."""
        with self._path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(entry) + "\n")

    def entries(self) -> list[dict[str, Any]]:
        """All lines so far."""
        return read(self._path)


def read(path: Path) -> list[dict[str, Any]]:
    """The whole lines of a log; a last line that was cut off by a kill is left out."""
    if not path.exists():
        return []
    lines = path.read_text(encoding="utf-8").split("\n")
    try:
        return [json.loads(line) for line in lines[:-1] if line]
    except ValueError as error:
        raise ResumeError(f"{path}: damaged ({error}): start anew") from error
