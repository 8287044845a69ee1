"""The recorded story as a JSON file beside the checkpoints."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any

from txlviz.analysis.story import SEGMENT_LENGTH, Reading, Record, Story, StoryError
from txlviz.recorded import CODE
from txlviz.source_digest import digest

FILE = "start.json"


def write(record: Record, path: Path, by: str) -> None:
    """Writes the record: a line a story, so that changes can be read; ``by`` is the module that measured."""
    values = dataclasses.asdict(record)
    stories = [_line(story) for story in values.pop("stories")]
    head = {
        CODE: digest(by),
        **values,
        "picked_because": "the clearest case by the measured numbers",
        "segment_length": SEGMENT_LENGTH,
    }
    fields = [f" {_line(key)}: {_line(value)}" for key, value in head.items()]
    fields.append(' "stories": [\n  ' + ",\n  ".join(stories) + "\n ]")
    path.write_text("{\n" + ",\n".join(fields) + "\n}\n", encoding="utf-8")


def read(path: Path) -> Record:
    """Reads a record. StoryError where there is none, or it isn't one."""
    try:
        values = json.loads(path.read_text(encoding="utf-8"))
        stories = tuple(_story(story) for story in values["stories"])
        record = Record(values["preset"], values["sha256"], values["picked"], stories)
        if not any(story.name == record.picked for story in stories):
            raise ValueError(f"the story that was picked, {record.picked!r}, isn't in it")
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise StoryError(f"{path}: no record of the story ({error}): make it with `python -m txlviz record start`") from error
    return record


def _story(values: dict[str, Any]) -> Story:
    return Story(
        name=values["name"],
        text=values["text"],
        inputs=tuple(values["inputs"]),
        mentions=tuple((start, end) for start, end in values["mentions"]),
        replacements=tuple(values["replacements"]),
        vanilla=_reading(values["vanilla"]),
        xl={int(m): _reading(reading) for m, reading in values["xl"].items()},
    )


def _reading(values: dict[str, Any]) -> Reading:
    return Reading(tuple(values["losses"]), values["name_loss"], tuple(values["changes"]))


def _line(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
