"""Memory span: how far back an input can still change a layer's output. What could matter, not what does."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from txlviz.analysis.reach import check_sizes, descend

Span = npt.NDArray[np.int64]


def memory_span(n_layers: int, segment_length: int, memory_length: int, *, same_length: bool = False) -> Span:
    """Tokens back that each layer's output can depend on, at each position of a segment, all memories full.

    A question of reachability, answered from the model's own masks, segment by segment (``reach.descend``): layer n's output
    depends on the rows that it sees, and rows in its memory on what they saw when they were computed. It equals
    p + M + n·L·ceil(M/L) for layer n (from 0) at position p, if M > 0, and p if M = 0.

    Args:
        n_layers: N.
        segment_length: L, at least 1.
        memory_length: M, at least 0.
        same_length: every query sees at most M keys before it.

    Returns:
        (layer, position) whole numbers; layer 0 is the first.
    """
    check_sizes(n_layers, segment_length, memory_length)
    L, M = segment_length, memory_length
    total = L * (-(-n_layers * (M + L) // L) + 1)  # enough that nothing reaches back to the start of the text
    places = np.arange(total - L, total)
    _, *rows = (row.argmax(axis=1) for row in descend(n_layers, L, M, places.tolist(), total, same_length=same_length))
    return np.stack([places - earliest for earliest in rows])
