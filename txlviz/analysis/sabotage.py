"""Sabotage the past: swap one token for another, and see which later predictions change."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import torch

from txlviz.analysis.evaluate import stream_losses
from txlviz.analysis.replaced import check
from txlviz.checkpoint import Checkpoint

Losses = npt.NDArray[np.float32]

_ENDS = {".", "!", "?", ":", '"', "↵"}  # a capital letter after one of these makes no name


@dataclass(frozen=True, eq=False)  # known by identity: what is drawn of it can be kept
class Sabotage:
    """Losses by place in the inputs, where 0 is the newline before the text; it has none (NaN)."""

    place: int
    """Of the swapped token."""
    token: int
    """Its replacement's id."""
    before: Losses
    """(T,) nats with the text as it is."""
    after: Losses
    """(T,) nats with the token swapped; the token at ``place`` itself is scored as the one that now stands there."""

    @property
    def change(self) -> Losses:
        """(T,) nats by which a later token's loss rises; NaN up to ``place``, where nothing can change."""
        change: Losses = np.where(np.arange(len(self.after)) > self.place, self.after - self.before, np.float32(np.nan))
        return change

    @property
    def changed(self) -> npt.NDArray[np.bool_]:
        """(T,) whether any bit of a later token's loss differs."""
        differs: npt.NDArray[np.bool_] = self.after.view(np.int32) != self.before.view(np.int32)
        differs[: self.place + 1] = False
        return differs


def losses_with(
    checkpoint: Checkpoint,
    text: str,
    segment_length: int | None = None,
    memory_length: int | None = None,
    place: int | None = None,
    token: int | None = None,
) -> Losses:
    """(T,) losses by place, with the id ``token`` at ``place``; None: the text as it is. Every call runs the same shapes.

    ValueError where the place or the id doesn't exist, or a setting doesn't fit the model.
    """
    stream = torch.tensor(checkpoint.inputs(text))
    if len(stream) < 2:
        raise ValueError("the text is empty: there is no token to look at")
    if place is not None and token is not None:
        check(place, len(stream))
        if not 0 <= token < checkpoint.tokenizer.vocab_size:
            raise ValueError(f"there is no token {token}: the vocabulary has {checkpoint.tokenizer.vocab_size:,}")
        stream[place] = token
    losses = stream_losses(checkpoint.model, stream, _length(checkpoint, segment_length), memory_length)
    return np.concatenate([[np.float32(np.nan)], losses.numpy()])


def sabotage(
    checkpoint: Checkpoint,
    text: str,
    segment_length: int | None = None,
    memory_length: int | None = None,
    *,
    place: int,
    token: int,
) -> Sabotage:
    """What the swap changes.

    Args:
        segment_length: L; None takes the trained length.
        memory_length: M; None takes the model's own. The vanilla model has none (None or 0).
        place: of the token that is swapped, in the inputs.
        token: the id that takes its place.

    Raises:
        ValueError: as ``losses_with``.
    """
    reading = (checkpoint, text, segment_length, memory_length)
    return Sabotage(place, token, losses_with(*reading), losses_with(*reading, place, token))


def replacement(checkpoint: Checkpoint, text: str, place: int, word: str) -> int:
    """The id that takes the place of a token: the first of ``word``'s, with a space before it if the token there has one.

    Where that token stands there already, the word's next one is taken, or else the token after it in the vocabulary.

    ValueError where there is no such place, or the word can't be encoded.
    """
    ids = checkpoint.inputs(text)
    check(place, len(ids))
    there = ids[place]
    spaced = checkpoint.tokenizer.show([there])[0].startswith("␣")
    word = word.strip() or "the"
    found = [one for one in checkpoint.encode(f" {word}" if spaced else word) if one != there]
    found = [one for one in found if checkpoint.decode([one]).strip()] or found  # not a space by itself
    return found[0] if found else (there + 1) % checkpoint.tokenizer.vocab_size


def returning(checkpoint: Checkpoint, text: str, segment_length: int) -> int:
    """A telling place to sabotage: a token of the first segment that returns in a later one, a name where there is one.

    A name: it begins with a space and a capital letter, and no sentence begins there; of several the last, since surnames
    come last. Without one, the token that stands in the text least often, and of those the one that the tokenizer learned
    last. Place 1 where none returns.
    """
    ids = checkpoint.inputs(text)
    later = set(ids[segment_length:])
    candidates = [place for place in range(1, min(segment_length, len(ids))) if ids[place] in later]
    shown = checkpoint.tokenizer.show(ids)
    names = [place for place in candidates if shown[place][1:2].isupper() and shown[place - 1] not in _ENDS]
    if names:
        return names[-1]
    return min(candidates, key=lambda place: (ids.count(ids[place]), -ids[place]), default=min(1, len(ids) - 1))


def _length(checkpoint: Checkpoint, segment_length: int | None) -> int:
    return checkpoint.config.segment_length if segment_length is None else segment_length
