"""Full causal attention (Vaswani et al. 2017, section 3.2): every query sees every key up to itself, at any distance.

The module is ``AbsoluteAttention``, given the whole text in one call.
"""

from __future__ import annotations

from torch import Tensor

from txlviz.models.attention import visible_keys


def visible(n: int) -> Tensor:
    """(n, n) bool: key j is visible to query i where j <= i."""
    return visible_keys(n, n)
