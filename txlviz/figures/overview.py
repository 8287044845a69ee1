"""Small pictures of every head's weights, to choose one by its pattern."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

HIDDEN = 0
"""The level of cells that no query may see; visible ones have 1 to 255."""


def thumbnails(
    weights: Sequence[npt.NDArray[np.float32]], visible: npt.NDArray[np.bool_], longest: int = 64
) -> npt.NDArray[np.uint8]:
    """(layer, head, h, w) levels from one (H, L, K) array a layer, at most ``longest`` cells a side.

    Blocks keep their largest weight, so that a thin diagonal stays a line. Each head is drawn against its own large weights,
    on a square-root scale: here the pattern counts, not the size. The largest two in a hundred share the brightest level, or
    the first rows, whose few keys share 100 %, would leave all others dark.
    """
    stacked = np.stack(weights)
    rows, columns = (_starts(n, longest) for n in visible.shape)
    pooled = np.maximum.reduceat(np.maximum.reduceat(stacked, rows, axis=-2), columns, axis=-1)
    seen = np.logical_or.reduceat(np.logical_or.reduceat(visible, rows, axis=0), columns, axis=1)
    bright = np.quantile(pooled[..., seen], 0.98, axis=-1)[..., None, None]
    levels = 1 + np.rint(254 * np.sqrt(np.minimum(pooled / np.where(bright > 0, bright, 1), 1)))
    return np.where(seen, levels, HIDDEN).astype(np.uint8)


def _starts(n: int, longest: int) -> npt.NDArray[np.intp]:
    """Where the blocks begin when ``n`` cells become at most ``longest``."""
    blocks = min(n, longest)
    return (np.arange(blocks) * n) // blocks
