"""The recorded story: measured as it says, of the weights that are shipped, and right to this day."""

from __future__ import annotations

import dataclasses
import math
from pathlib import Path

import numpy as np
import pytest

import txlviz
from txlviz.analysis import story, story_file
from txlviz.checkpoint import Checkpoint
from txlviz.content import sections

PRESET = Path(__file__).parents[2] / "checkpoints/wikitext2-4l"


@pytest.fixture(scope="module")
def xl() -> Checkpoint:
    return txlviz.load(PRESET / "xl")


@pytest.fixture(scope="module")
def vanilla() -> Checkpoint:
    return txlviz.load(PRESET / "vanilla")


@pytest.fixture(scope="module")
def record() -> story.Record:
    return story_file.read(PRESET / story_file.FILE)


def test_the_record_is_of_the_shipped_weights(record: story.Record, xl: Checkpoint, vanilla: Checkpoint) -> None:
    assert record.sha256 == {model.config.kind: model.card["sha256"]["model.safetensors"] for model in (xl, vanilla)}
    assert [(one.name, one.text) for one in record.stories] == list(sections("stories").items())


def test_the_record_equals_a_recomputation(record: story.Record, xl: Checkpoint, vanilla: Checkpoint) -> None:
    again = story.record(xl, vanilla, {one.name: one.text for one in record.stories})
    assert again.picked == record.picked
    for one, other in zip(again.stories, record.stories, strict=True):
        assert dataclasses.replace(one, vanilla=other.vanilla, xl=other.xl) == other  # texts, tokens, mentions, names
        for reading, recorded in zip([one.vanilla, *one.xl.values()], [other.vanilla, *other.xl.values()], strict=True):
            np.testing.assert_allclose(reading.losses, recorded.losses, atol=1e-3)
            np.testing.assert_allclose(reading.changes, recorded.changes, atol=2e-3)
            assert reading.name_loss == pytest.approx(recorded.name_loss, abs=1e-3)


def test_losses_and_probability_are_the_traces(record: story.Record, xl: Checkpoint, vanilla: Checkpoint) -> None:
    told = record.story
    start, end = told.mentions[-1]
    for model, memory, reading in [(xl, 16, told.xl[16]), (vanilla, 0, told.vanilla)]:
        run = txlviz.trace(model, told.text, 64, memory, record=[])
        np.testing.assert_allclose(reading.losses, run.losses, atol=1e-3)
        name = sum(run.losses[start - 1 : end - 1].tolist())
        assert reading.probability == pytest.approx(math.exp(-name), rel=2e-3)
        assert tuple(run.inputs) == told.inputs


def test_the_change_is_what_replacing_does(record: story.Record, xl: Checkpoint) -> None:
    told = record.story
    (first, last) = told.mentions[0], told.mentions[-1]
    total = 0.0
    for other in told.replacements:
        text = told.text.replace(told.name, other, 1)
        losses = txlviz.trace(xl, text, 64, 256, record=[]).losses
        total += float(losses[last[0] - 1 : last[1] - 1].sum())
    assert len(told.inputs[first[0] : first[1]]) == len(xl.encode(f" {told.replacements[0]}"))
    expected = total / len(told.replacements) - told.xl[256].name_loss
    assert told.xl[256].changes[0] == pytest.approx(expected, abs=2e-3)


def test_without_memory_the_first_segment_changes_nothing(record: story.Record) -> None:
    for told in record.stories:
        assert set(told.xl[0].changes) == {0.0}
        assert set(told.vanilla.changes) == {0.0}


def test_the_clearest_case_was_picked(record: story.Record) -> None:
    assert record.story.clearness == max(told.clearness for told in record.stories)


TOLD = sections("stories")["Lowe"]


@pytest.mark.parametrize(
    ("name", "text", "reason"),
    [
        ("Nobody", TOLD, "at least twice"),
        ("Lowe", TOLD.replace("many of the dogs", "Lowe's dogs"), "between the first segment and its return"),
        ("Lowe", TOLD.rpartition("with Captain Lowe")[0] + "alone.", "at least twice"),
        ("Lowe", "Lowe " + TOLD, "as the same tokens"),
        (
            "Lowe",
            TOLD.replace("The winter was dark", "It was written by Captain Lowe. " + "It was so. " * 60),
            "not predicted",
        ),
    ],
)
def test_a_text_that_does_not_tell_the_story_is_refused(
    name: str, text: str, reason: str, xl: Checkpoint, vanilla: Checkpoint
) -> None:
    with pytest.raises(story.StoryError, match=reason):
        story.tell(xl, vanilla, name, text)


def test_a_file_that_is_no_record_is_named(tmp_path: Path, record: story.Record) -> None:
    path = tmp_path / "start.json"
    for content in (None, "", "{}", "[1]", '{"preset": "p", "sha256": {}, "picked": "x", "stories": []}'):
        if content is not None:
            path.write_text(content)
        with pytest.raises(story.StoryError, match="record start"):
            story_file.read(path)
    story_file.write(record, path, "txlviz.commands.record")
    assert story_file.read(path) == record
