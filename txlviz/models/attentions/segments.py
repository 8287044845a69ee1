"""Segments of a text, with or without a memory: which tokens one layer's queries look at directly.

The modules are ``AbsoluteAttention`` (Al-Rfou et al. 2018) and ``RelativeAttention`` with its memory (Dai et al. 2019): they
stand in ``models/attention.py`` and read one segment a call. Here are the pairs of all calls together.
"""

from __future__ import annotations

import torch
from torch import Tensor

from txlviz.models.attention import visible_keys


def visible(n: int, *, segment_length: int, memory_length: int = 0) -> Tensor:
    """(n, n) bool: query i sees the keys up to itself of its own segment, and the M rows of memory before that.

    ValueError for an L below 1 or an M below 0.
    """
    L, M = segment_length, memory_length
    if L < 1 or M < 0:
        raise ValueError(f"no segments of {L} with a memory of {M}: L must be at least 1, M at least 0")
    seen = torch.zeros(n, n, dtype=torch.bool)
    for start in range(0, n, L):
        end, first_key = min(start + L, n), max(0, start - M)
        seen[start:end, first_key:end] = visible_keys(end - start, end - first_key)
    return seen
