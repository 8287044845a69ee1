"""What is further back than d tokens, shuffled, replaced or dropped: what does the loss make of it (Khandelwal et al. 2018)?"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from txlviz.analysis.distant_pieces import SEED, Losses, Way, original_losses, piece_losses, pieces
from txlviz.checkpoint import Checkpoint

_DISTANCES = (1, 2, 4, 8, 16, 32, 64, 96, 128, 192, 256, 384, 512, 768, 1024)
_LONGEST_SHARE = 0.6  # of the text: what is left are the targets
_MOST_RUNS = 84


@dataclass(frozen=True)
class DistantContext:
    """Losses of some tokens of a text, with all that is further back than d tokens before them changed."""

    targets: tuple[int, ...]
    """(T,) places of the tokens that are predicted, in the inputs (0 is the newline before the text)."""
    distances: tuple[int, ...]
    """(D,) d: how many tokens before the target stay as they are."""
    original: Losses
    """(T,) nats with the text as it is."""
    changed: Losses
    """(D, T) nats. Equal to ``original``, bit for bit, where nothing stands further back, or nothing of it is read: without a
    memory (the vanilla model, and M = 0) what stands before the target's segment."""

    @property
    def change(self) -> Losses:
        """(D, T) nats by which the loss rises."""
        return self.changed - self.original


def plan(n_tokens: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Targets and distances for a text of so many tokens: its last tokens, each with more before it than the longest distance.

    The targets lie as far apart as keeps the runs at most ``_MOST_RUNS``: 1 for short texts, 4 for 256 tokens. The distances
    are multiples of that, so that targets share runs. Both are empty where there is one token only.
    """
    apart = 1
    while n_tokens > _MOST_RUNS * apart:
        apart *= 2
    distances = tuple(d for d in _DISTANCES if d % apart == 0 and d <= _LONGEST_SHARE * n_tokens)
    if not distances:
        return (), ()
    return tuple(range(n_tokens, max(distances), -apart))[::-1], distances


def distant_context(
    checkpoint: Checkpoint,
    text: str,
    segment_length: int | None = None,
    memory_length: int | None = None,
    *,
    way: Way,
    targets: Sequence[int],
    distances: Sequence[int],
    other: str = "",
    seed: int = SEED,
    progress: Callable[[float], None] | None = None,
) -> DistantContext:
    """The losses of ``targets`` when the inputs before place t - d are changed; the cut and M stay as they are.

    Target t and distance d share a run with all that have the same t - d = b: inputs before place b are

    - ``shuffled``: in a random order, drawn anew for each b from ``seed``;
    - ``replaced``: those of ``other`` at the same places, repeated where it is too short;
    - ``dropped``: not there. The model starts at place b with an empty memory, and cuts where it would have cut.

    Args:
        segment_length: L; None takes the trained length.
        memory_length: M; None takes the model's own. The vanilla model has none (None or 0).
        targets: places in the inputs, at least 1.
        distances: d, at least 1: a model needs a token to predict from.
        progress: is told the finished share, 0 to 1. What it raises ends the work.

    Raises:
        ValueError: a place, a distance or a setting doesn't fit, or a text can't be encoded.
    """
    reading = (checkpoint, text, segment_length, memory_length)
    asked: dict[str, Any] = {"way": way, "targets": tuple(targets), "distances": tuple(distances)}
    groups = pieces(*reading, **asked)
    original = original_losses(*reading, targets=asked["targets"])
    found = []
    for done, bounds in enumerate(groups, start=1):
        found.append(piece_losses(*reading, **asked, bounds=bounds, other=other, seed=seed))
        if progress is not None:
            progress(done / len(groups))
    return assembled(asked["targets"], asked["distances"], original, found)


def assembled(
    targets: tuple[int, ...], distances: tuple[int, ...], original: Losses, found: Iterable[Losses]
) -> DistantContext:
    """The result from the losses of all pieces: what is in none of them is as it was."""
    changed = np.tile(original, (len(distances), 1))
    for piece in found:
        changed = np.where(np.isnan(piece), changed, piece)
    return DistantContext(targets, distances, original, changed)
