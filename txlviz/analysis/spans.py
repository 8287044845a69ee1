"""Memory span: how far back an input can still change a layer's output. What could matter, not what does."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from txlviz.models.attention import visible_keys

Span = npt.NDArray[np.int64]


def memory_span(n_layers: int, segment_length: int, memory_length: int, *, same_length: bool = False) -> Span:
    """Tokens back that each layer's output can depend on, at each position of a segment, all memories full.

    A question of reachability, answered from the model's own masks, segment by segment: layer n's output at a position reaches
    as far as the furthest-reaching of the rows that it sees, and rows in its memory reach as far as they did when they were
    computed. It equals p + M + n·L·ceil(M/L) for layer n (from 0) at position p, if M > 0, and p if M = 0.

    Args:
        n_layers: N.
        segment_length: L, at least 1.
        memory_length: M, at least 0.
        same_length: every query sees at most M keys before it.

    Returns:
        (layer, position) whole numbers; layer 0 is the first.
    """
    if n_layers < 1 or segment_length < 1 or memory_length < 0:
        raise ValueError(
            f"there is no span for {n_layers} layers, segments of {segment_length} and a memory of {memory_length}: "
            "at least one layer, segments of at least 1, and a memory of at least 0 are needed"
        )
    L, M = segment_length, memory_length
    n_segments = -(-n_layers * (M + L) // L) + 1  # enough that nothing reaches back to the start of the text
    furthest = np.arange(n_segments * L)  # for each place, the earliest input that a row there depends on: itself
    spans = []
    for _ in range(n_layers):
        rows = furthest.copy()
        for start in range(0, len(rows), L):
            first_key = max(0, start - M)
            visible = visible_keys(L, start + L - first_key, M if same_length else None).numpy()
            keys = furthest[first_key : start + L]
            rows[start : start + L] = np.where(visible, keys, len(rows)).min(axis=1)
        furthest = rows
        spans.append(np.arange(len(rows) - L, len(rows)) - furthest[-L:])
    return np.stack(spans)
