"""What the dependency cone draws, and where its window on the text lies."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

_DIGITS = 4  # significant ones of each value: what is shown, and a third of the size


@dataclass(frozen=True)
class Window:
    """The places that are drawn: ``first`` to the one before ``after``."""

    first: int
    after: int


def window(furthest: int, place: int, segment_length: int, total: int) -> Window:
    """From a bit before the furthest place that is reached to the end of the segment that ``place`` is in."""
    after = min(total, (place // segment_length + 1) * segment_length)
    margin = max(3, (after - furthest) // 12)
    return Window(max(0, furthest - margin), after)


def nodes(
    shown: Window,
    *,
    reach: npt.NDArray[np.bool_],
    first_visible: npt.NDArray[np.int64],
    tokens: Sequence[str],
    segment_length: int,
    values: npt.NDArray[np.float64] | None = None,
) -> dict[str, Any]:
    """The nodes in the window, as the browser draws them.

    Args:
        reach: (N + 1, T) whether a node can reach the selected one; row 0 holds the embeddings.
        first_visible: (T,) the oldest place that each place's queries see.
        tokens: (T,) as people read them.
        values: (N + 1, T') a size for each node; places from T' on have none.
    """
    part = slice(shown.first, shown.after)
    starts = range(shown.first // segment_length * segment_length, shown.after, segment_length)
    return {
        "first": shown.first,
        "tokens": list(tokens[part]),
        "segments": list(starts),
        "segmentLength": segment_length,
        "sees": first_visible[part].tolist(),
        "reach": ["".join("1" if one else "0" for one in row[part]) for row in reach],
        "values": None if values is None else [rounded(row[part]) for row in values],
    }


def rounded(row: npt.NDArray[np.float64]) -> list[float]:
    """The numbers with few digits; what isn't 0 doesn't become 0."""
    return [float(f"{value:.{_DIGITS}g}") for value in row.tolist()]
