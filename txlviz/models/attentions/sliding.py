"""Sliding-window evaluation (Al-Rfou et al. 2018): each prediction is made from a window of its own, read anew.

The module is ``AbsoluteAttention``, ``txlviz.evaluate(stride=1)`` reads. What a window computed is thrown away, so no layer
sees further back than the window: depth adds no reach.
"""

from __future__ import annotations

import torch
from torch import Tensor

from txlviz.models.attention import visible_keys


def visible(n: int, *, window: int, place: int | None = None) -> Tensor:
    """(n, n) bool, which keys the queries see.

    Args:
        window: L, tokens of a window.
        place: the pairs of the one pass that predicts what follows this place: causal inside its window, nothing outside.
            None: row i is the last row of the pass that ends at i. These rows never meet: a pass reads only its own.

    Raises:
        ValueError: the window isn't at least 1, or there is no such place.
    """
    if window < 1:
        raise ValueError(f"the window is {window}; it must be at least 1")
    if place is None:
        return visible_keys(n, n, window - 1)
    if not 0 <= place < n:
        raise ValueError(f"there is no place {place} in a text of {n} places (they count from 0)")
    seen, first = torch.zeros(n, n, dtype=torch.bool), max(0, place + 1 - window)
    seen[first : place + 1, first : place + 1] = visible_keys(place + 1 - first, place + 1 - first)
    return seen
