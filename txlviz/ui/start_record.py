"""The recorded story of the Start page, read from beside the checkpoints."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from txlviz.analysis import story_file
from txlviz.analysis.story import Record, StoryError
from txlviz.content import sections
from txlviz.ui import models


def read() -> Record:
    """The record of the default preset. StoryError where there is none, or it is of other weights than those shipped."""
    path = models.CHECKPOINTS / models.DEFAULT_PRESET / story_file.FILE
    record = _read(path, models.stamp(path))
    for kind, made_with in record.sha256.items():
        if models.weights_hash(models.DEFAULT_PRESET, kind) != made_with:
            raise StoryError(f"{path}: it was recorded with other weights: make it anew with `python -m txlviz record start`")
    return record


def default_text() -> str:
    """The text that a session starts with: the story of the Start page, so that all pages tell the same one."""
    try:
        return read().story.text
    except StoryError:
        return next(iter(sections("stories").values()))


@lru_cache(maxsize=4)
def _read(path: Path, stamp: int) -> Record:
    """``stamp`` changes when the file is written anew."""
    return story_file.read(path)
