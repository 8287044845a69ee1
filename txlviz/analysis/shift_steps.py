"""The relative shift of Dai et al. 2019, appendix B, one step at a time, and the double loop that it replaces.

Plain arrays in, plain arrays out. What the model itself runs is ``models.positions.relative_shift``, which does the same by a
strided view; tests hold all three against each other.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Matrix = npt.NDArray[np.float64]
Places = npt.NDArray[np.int64]

STEPS = ("distance", "pad", "reshape", "drop", "back", "mask")


@dataclass(frozen=True)
class ShiftSteps:
    """Where each cell stands after each step. Cells are counted row by row in the padded matrix (L, K + 1).

    Cell (i, 0) is the padding of row i; cell (i, c + 1) is column c, which holds the value for distance K - 1 - c.
    """

    matrices: tuple[Matrix, ...]
    """One a step: (L, K), (L, K + 1), (K + 1, L), (K, L), (L, K), (L, K); hidden keys are -inf in the last one."""
    places: Places
    """(step, cell, 2) row and column; -1 where the cell isn't there: padding before it is added, and what was dropped."""
    garbage: npt.NDArray[np.bool_]
    """(L, K) cells of the result whose key is in the query's future: they hold padding and values of other rows."""


def shift_steps(by_distance: npt.ArrayLike) -> ShiftSteps:
    """Pad a column of zeros on the left, reshape to (K + 1, L), drop the first row, reshape to (L, K); then the causal mask.

    ``by_distance`` is (L, K) with K >= L >= 1, column c for distance K - 1 - c. ValueError for another shape.
    """
    values = np.asarray(by_distance, dtype=np.float64)
    if values.ndim != 2 or not 1 <= values.shape[0] <= values.shape[1]:
        raise ValueError(f"expected a matrix of L queries by K distances with K >= L >= 1, got the shape {values.shape}")
    L, K = values.shape
    padded = np.concatenate([np.zeros((L, 1)), values], axis=1)
    reshaped = padded.reshape(K + 1, L)
    dropped = reshaped[1:]
    back = dropped.reshape(L, K)
    garbage = np.arange(K)[None, :] > np.arange(K - L, K)[:, None]  # key j is in the future of the query at K - L + i
    masked = np.where(garbage, -np.inf, back)

    flat = np.arange(L * (K + 1))
    left = flat - L  # what is left after the first row of L cells was dropped
    before = np.stack(np.divmod(flat, K + 1), axis=1)
    places = np.stack(
        [
            np.where(before[:, 1:] > 0, before - [0, 1], -1),
            before,
            np.stack(np.divmod(flat, L), axis=1),
            np.where(left[:, None] >= 0, np.stack(np.divmod(left, L), axis=1), -1),
            np.where(left[:, None] >= 0, np.stack(np.divmod(left, K), axis=1), -1),
        ]
    )
    return ShiftSteps((values, padded, reshaped, dropped, back, masked), np.concatenate([places, places[-1:]]), garbage)


def double_loop(n_queries: int, n_keys: int, value: Callable[[int, int], float]) -> Matrix:
    """(L, K) by the definition: ``value(i, i - j)`` for each query i and each key j; -inf where i - j < 0.

    Args:
        value: called with the row of the query (from 0), and the distance i - j. Query row i stands at K - L + i.
    """
    out = np.full((n_queries, n_keys), -np.inf)
    for i in range(n_queries):
        for j in range(n_keys):
            distance = (n_keys - n_queries + i) - j
            if distance >= 0:
                out[i, j] = value(i, distance)
    return out


def dot(x: npt.ArrayLike, y: npt.ArrayLike) -> float:
    """The scalar product, rounded once: it has the same bits whatever the order, so that two ways can be compared exactly."""
    return math.fsum((np.asarray(x, dtype=np.float64) * np.asarray(y, dtype=np.float64)).tolist())
