"""A name that appears in the first segment of a text and returns in the third: what a memory of it is worth.

Everything is measured by running the models. How much the returning name owes to an earlier mention is the change of its loss
when that mention is replaced by other names of as many tokens; attention weights are not asked.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import torch

from txlviz.analysis.evaluate import stream_losses
from txlviz.checkpoint import Checkpoint

SEGMENT_LENGTH = 64
MEMORY_LENGTHS = (0, 16, 64, 256)
REPLACEMENTS = 3

# Surnames of one to five tokens; the first three that fit in the number of tokens and aren't in the text take a name's place.
_OTHER_NAMES = (
    *("Wood", "Young", "King", "Hill", "Smith", "Wilson", "Harrison", "Cooper", "Morgan", "Carver", "Norris", "Palmer"),
    *("Campbell", "Turner", "Watson", "Dalton", "Foster", "Hudson", "Sinclair", "Reynolds", "Fenwick", "Shepherd"),
    *("Mitchell", "Lindqvist", "Radcliffe", "Cunningham"),
)


class StoryError(ValueError):
    """A text doesn't tell the story; the message says why."""


@dataclass(frozen=True)
class Reading:
    """What one model makes of the text, with one length of memory."""

    losses: tuple[float, ...]
    """(token,) nats."""
    name_loss: float
    """Nats of the returning name: the sum over its tokens."""
    changes: tuple[float, ...]
    """For each earlier mention, the rise of ``name_loss`` when that mention is replaced; mean over the replacements."""

    @property
    def probability(self) -> float:
        """Of the whole returning name."""
        return math.exp(-self.name_loss)


@dataclass(frozen=True)
class Story:
    """A text, its mentions of a name, and what both models make of them."""

    name: str
    text: str
    inputs: tuple[str, ...]
    """A newline and the text's tokens, as people read them. Places count in this."""
    mentions: tuple[tuple[int, int], ...]
    """First place and the place after the last one of each mention; the last mention is the returning one."""
    replacements: tuple[str, ...]
    vanilla: Reading
    xl: Mapping[int, Reading]
    """By length of memory, M."""

    @property
    def clearness(self) -> float:
        """Probability that the returning name owes to its first mention, with the longest memory: what it has above the vanilla
        model, and above itself with the mention replaced, whichever is less."""
        best = self.xl[max(self.xl)]
        without = math.exp(-best.name_loss - best.changes[0])
        return best.probability - max(self.vanilla.probability, without)


@dataclass(frozen=True)
class Record:
    """All candidates, measured, and which of them was picked."""

    preset: str
    sha256: Mapping[str, str]
    """The weights, by kind of model, that made the numbers."""
    picked: str
    """The name of the clearest case."""
    stories: tuple[Story, ...]

    @property
    def story(self) -> Story:
        """The one that was picked."""
        return next(story for story in self.stories if story.name == self.picked)


def record(xl: Checkpoint, vanilla: Checkpoint, candidates: Mapping[str, str]) -> Record:
    """Measures every candidate (name: text), and picks the clearest case."""
    stories = tuple(tell(xl, vanilla, name, text) for name, text in candidates.items())
    hashes = {str(model.config.kind): model.weights_hash for model in (xl, vanilla)}
    picked = max(stories, key=lambda story: story.clearness).name
    return Record(str(xl.card.get("preset", xl.path.parent.name)), hashes, picked, stories)


def tell(xl: Checkpoint, vanilla: Checkpoint, name: str, text: str) -> Story:
    """Measures one text. StoryError where its mentions don't stand in the right segments."""
    ids = xl.inputs(text)
    piece = xl.encode(f" {name}")
    mentions = _mentions(ids, piece, name, text)
    _check_segments(mentions, name)
    others = _replacements(xl, name, text, len(piece))
    return Story(
        name=name,
        text=text,
        inputs=tuple(xl.tokenizer.show(ids)),
        mentions=mentions,
        replacements=tuple(others),
        vanilla=_read(vanilla, ids, mentions, others, None),
        xl={m: _read(xl, ids, mentions, others, m) for m in MEMORY_LENGTHS},
    )


def _mentions(ids: Sequence[int], piece: Sequence[int], name: str, text: str) -> tuple[tuple[int, int], ...]:
    """Where the name's tokens stand. Each mention must be the same tokens, so that each can be replaced token by token."""
    size = len(piece)
    found = tuple((at, at + size) for at in range(len(ids) - size + 1) if list(ids[at : at + size]) == list(piece))
    if len(found) != text.count(name):
        raise StoryError(f"{name!r} stands {text.count(name)} times in the text, but {len(found)} times as the same tokens")
    if len(found) < 2:
        raise StoryError(f"{name!r} must stand at least twice in the text")
    return found


def _check_segments(mentions: Sequence[tuple[int, int]], name: str) -> None:
    """The last mention must be predicted within the third segment, from places that see no other mention there."""
    (first, after), L = mentions[-1], SEGMENT_LENGTH
    if first - 1 < 2 * L or after > 3 * L:
        raise StoryError(f"{name!r} returns at place {first}, which is not predicted within the third segment")
    if any(end > L for _, end in mentions[:-1]):
        raise StoryError(f"{name!r} is mentioned between the first segment and its return")


def _replacements(xl: Checkpoint, name: str, text: str, size: int) -> dict[str, list[int]]:
    fitting = {other: xl.encode(f" {other}") for other in _OTHER_NAMES if other != name and other not in text}
    chosen = {other: ids for other, ids in fitting.items() if len(ids) == size}
    if len(chosen) < REPLACEMENTS:
        raise StoryError(f"{name!r} is {size} tokens long, and there are only {len(chosen)} other names of that length")
    return dict(list(chosen.items())[:REPLACEMENTS])


def _read(
    model: Checkpoint, ids: list[int], mentions: Sequence[tuple[int, int]], others: Mapping[str, list[int]], memory: int | None
) -> Reading:
    def losses(of: list[int]) -> torch.Tensor:
        return stream_losses(model.model, torch.tensor(of), SEGMENT_LENGTH, memory)

    start, end = mentions[-1]
    name = slice(start - 1, end - 1)  # the token at place p is the target number p - 1
    original = losses(ids)
    changes = []
    for first, after in mentions[:-1]:
        replaced = [losses([*ids[:first], *other, *ids[after:]]) for other in others.values()]
        changes.append(sum(float((loss[name] - original[name]).sum()) for loss in replaced) / len(replaced))
    rounded = tuple(round(float(loss), 5) for loss in original)
    return Reading(rounded, round(float(original[name].sum()), 5), tuple(round(change, 5) for change in changes))
