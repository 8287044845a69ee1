"""Reachability over the models' own masks: which hidden states an output can depend on. What could matter, not what does."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from txlviz.analysis.paths import Mask, Piece, alone, below_of
from txlviz.models.attention import visible_keys

Places = npt.NDArray[np.int64]


def reachable(
    n_layers: int,
    segment_length: int,
    memory_length: int,
    place: int | Sequence[int],
    total: int,
    *,
    same_length: bool = False,
) -> Mask:
    """Which nodes the top output at ``place`` can depend on, in a text that is read from its start, memory empty there.

    The nodes are the hidden states h^n_j: row 0 holds the embeddings, row n the outputs of layer n (from 1); j is the place. A
    query of layer n sees rows of h̃^{n-1}, its own segment's and those in memory (Dai et al. 2019, section 3.2), as
    ``visible_keys`` masks them; whatever one of these could depend on, it can depend on as well.

    Args:
        n_layers: N.
        segment_length: L, at least 1.
        memory_length: M, at least 0; 0 is the vanilla model.
        place: of the output, counted from 0; several: what at least one of their outputs can depend on.
        total: (T) places in the text.
        same_length: every query sees at most M keys before it.

    Returns:
        (N + 1, T) bool.

    Raises:
        ValueError: sizes that make no sense, or a place outside the text.
    """
    check_sizes(n_layers, segment_length, memory_length)
    places = [place] if isinstance(place, int | np.integer) else list(place)
    if not places or not all(0 <= one < total for one in places):
        raise ValueError(f"there is no place {place} in a text of {total} places (they count from 0)")
    rows = [row.any(axis=0) for row in descend(n_layers, segment_length, memory_length, places, total, same_length=same_length)]
    return np.stack(rows[::-1])


def descend(
    n_layers: int,
    segment_length: int,
    memory_length: int,
    places: Sequence[int],
    total: int,
    *,
    same_length: bool = False,
) -> Iterator[Mask]:
    """``reachable`` for each of several places (P) by itself: N + 1 times (P, T) bool, the top row first.

    The row that comes after k steps down doesn't depend on N: it is what k layers can reach.
    """
    row = alone(places, total)
    yield row
    for _ in range(n_layers):
        row = below_of(row, _segments(segment_length, memory_length, total, same_length))
        yield row


def reach_through(masks: Sequence[Mask], place: int | Sequence[int]) -> Mask:
    """``reachable`` through layers with any masks, over a whole text: which nodes the top output at ``place`` can depend on.

    Args:
        masks: (N) of (T, T) bool, the lowest layer's first; row i holds the keys that query i sees.
        place: of the output, counted from 0; several: what at least one of their outputs can depend on.

    Returns:
        (N + 1, T) bool; row 0 holds the embeddings.

    Raises:
        ValueError: masks of other shapes, none at all, or a place outside the text.
    """
    rows = [row.any(axis=0) for row in descend_through(masks, [place] if isinstance(place, int | np.integer) else list(place))]
    return np.stack(rows[::-1])


def descend_through(masks: Sequence[Mask], places: Sequence[int]) -> Iterator[Mask]:
    """``reach_through`` for each of several places (P) by itself: N + 1 times (P, T) bool, the top row first."""
    total = len(masks[0]) if len(masks) else 0
    if not total or any(mask.shape != (total, total) for mask in masks):
        raise ValueError("one square mask a layer is needed, and all of one size")
    if not len(places) or not all(0 <= one < total for one in places):
        raise ValueError(f"there is no place {list(places)} in a text of {total} places (they count from 0)")
    row = alone(places, total)
    yield row
    for mask in reversed(masks):
        row = below_of(row, [Piece(0, total, 0, total, mask.astype(np.float32))])
        yield row


def _segments(L: int, M: int, total: int, same_length: bool) -> Iterator[Piece]:
    """The segments of a text, each with the memory that it reads."""
    for start in range(0, total, L):
        end, first_key = min(start + L, total), max(0, start - M)
        yield Piece(start, end, first_key, end, _visible(end - start, end - first_key, M if same_length else None))


def first_visible(segment_length: int, memory_length: int, total: int, *, same_length: bool = False) -> Places:
    """(T,) the oldest place that a query at each place sees; it sees all from there to itself, in every layer alike."""
    found = np.empty(total, dtype=np.int64)
    for piece in _segments(segment_length, memory_length, total, same_length):
        found[piece.start : piece.end] = piece.first_key + piece.seen.argmax(axis=1)
    return found


def check_sizes(n_layers: int, segment_length: int, memory_length: int) -> None:
    """ValueError for sizes that no model has."""
    if n_layers < 1 or segment_length < 1 or memory_length < 0:
        raise ValueError(
            f"there is no span for {n_layers} layers, segments of {segment_length} and a memory of {memory_length}: "
            "at least one layer, segments of at least 1, and a memory of at least 0 are needed"
        )


@lru_cache(maxsize=16)
def _visible(n_queries: int, n_keys: int, longest: int | None) -> npt.NDArray[np.float32]:
    """The models' mask (L, K) as 0 and 1, for a product of matrices. All segments but the first few share one."""
    seen = visible_keys(n_queries, n_keys, longest).numpy().astype(np.float32)
    seen.flags.writeable = False
    return seen
