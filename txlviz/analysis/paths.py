"""One step of reachability: from places in one row of hidden states to the places in the row below that they depend on."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Mask = npt.NDArray[np.bool_]


class Piece(NamedTuple):
    """Queries and keys of one call of a layer, places from 0, and which of the keys each query sees, as 0 and 1."""

    start: int
    end: int
    first_key: int
    last_key: int
    seen: npt.NDArray[np.float32]


def alone(places: Sequence[int], total: int) -> Mask:
    """(P, T) each place alone."""
    row = np.zeros((len(places), total), dtype=bool)
    row[np.arange(len(places)), list(places)] = True
    return row


def below_of(row: Mask, pieces: Iterable[Piece]) -> Mask:
    """(P, T) the places one layer further down that the places (P, T) depend on."""
    below = row.copy()  # the residual connection; each query sees its own place, too
    for piece in pieces:
        queries = row[:, piece.start : piece.end]
        if not queries.any():
            continue
        if (queries == queries[:1]).all():
            queries = queries[:1]  # places that share their past, as most do a segment back
        below[:, piece.first_key : piece.last_key] |= queries.astype(np.float32) @ piece.seen > 0  # the union of what they see
    return below
