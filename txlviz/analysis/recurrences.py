"""Tokens by how far back their last occurrence lies, and what the memory is worth to each class of them.

The write-ups call a token that was last seen more than a segment ago "anaphora". It isn't that in the linguists' sense: here
the same token returns, whatever it refers to.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

Ids = npt.NDArray[np.int64]
Values = npt.NDArray[np.floating[Any]]
Masks = npt.NDArray[np.bool_]

NEVER = 0
"""The distance of a token that wasn't there before."""
BOUNDS = (64, 128, 256, 512)


@dataclass(frozen=True)
class TokenClass:
    """Tokens whose last occurrence lies ``nearest`` to ``farthest`` tokens back."""

    name: str
    nearest: int
    farthest: int | None
    """None: no limit."""
    same_segment: bool | None = None
    """Whether the occurrence must stand in the segment that the token is predicted from; None: anywhere."""


def classes(L: int = 64, bounds: Sequence[int] = BOUNDS) -> tuple[TokenClass, ...]:
    """Near ones split by whether the vanilla model's segment holds the occurrence; then rings; then new tokens."""
    near = bounds[0]
    rings = [TokenClass(f"{low + 1}–{high}", low + 1, high) for low, high in itertools.pairwise(bounds)]
    return (
        TokenClass(f"1–{near} (same segment)", 1, near, True),
        TokenClass(f"1–{near} (before the cut)", 1, near, False),
        *rings,
        TokenClass(f"over {bounds[-1]}", bounds[-1] + 1, None),
        TokenClass("never before", NEVER, NEVER),
    )


def distances(ids: Ids) -> Ids:
    """(T,) how many places back each token of ``ids[1:]`` was seen last; NEVER (0) where it wasn't."""
    places = np.arange(len(ids))
    order = np.lexsort((places, ids))  # equal ids beside each other, in reading order
    again = ids[order][1:] == ids[order][:-1]
    found = np.full(len(ids), NEVER)
    found[order[1:][again]] = np.diff(places[order])[again]
    return found[1:]


def members(distance: Ids, of: Sequence[TokenClass], L: int) -> Masks:
    """(class, T) which tokens belong to which class. Token t of (T,) is predicted at place t mod L of a segment.

    Place p of a segment sees p + 1 tokens of it, so an occurrence at most p + 1 back stands in the same segment.
    """
    within = distance <= np.arange(len(distance)) % L + 1
    rows = []
    for one in of:
        row = (distance >= one.nearest) & (distance <= (np.inf if one.farthest is None else one.farthest))
        if one.same_segment is not None:
            row &= within == one.same_segment
        rows.append(row)
    return np.array(rows)


def frequencies(train: Ids, ids: Ids) -> Values:
    """(T,) how often each token of ``ids[1:]`` stands among a million tokens of ``train``."""
    counts = np.bincount(train, minlength=int(max(train.max(), ids.max())) + 1)
    return np.asarray(1e6 * counts[ids[1:]] / len(train))


def resampled_means(values: Values, groups: Masks, *, block: int, resamples: int = 2000, seed: int = 0) -> Values:
    """(resample, group) means of ``values`` (T,) over each row of ``groups`` (G, T), from blocks drawn with replacement.

    Losses of neighbours are alike, so whole blocks of ``block`` tokens are drawn (Künsch 1989): errors from single tokens
    would be too small. All groups of one row come from the same draw, so that their differences can be taken.
    """
    edges = np.arange(0, len(values), block)
    sums = np.add.reduceat(np.where(groups, values, 0.0), edges, axis=1)
    counts = np.add.reduceat(groups.astype(float), edges, axis=1)
    generator = np.random.default_rng(seed)
    drawn = generator.multinomial(len(edges), np.full(len(edges), 1 / len(edges)), size=resamples)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray((drawn @ sums.T) / (drawn @ counts.T))
