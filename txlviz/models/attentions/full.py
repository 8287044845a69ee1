"""Full causal attention (Vaswani et al. 2017, section 3.2): every query sees every key up to itself, at any distance.

The module is ``AbsoluteAttention``, given the whole text in one call. ``TwoSidedAttention`` is the form without a mask, for
comparisons with systems that aren't causal.
"""

from __future__ import annotations

import torch
from torch import Tensor

from txlviz.models.attention import visible_keys
from txlviz.models.attentions.masked import MaskedAttention


def visible(n: int) -> Tensor:
    """(n, n) bool: key j is visible to query i where j <= i."""
    return visible_keys(n, n)


class TwoSidedAttention(MaskedAttention):
    """Every query sees every key, later ones too."""

    causal = False

    def visible(self, n: int) -> Tensor:
        """(n, n) bool, all True."""
        return torch.ones(n, n, dtype=torch.bool)

    def attended(self, q: Tensor, k: Tensor, values: Tensor) -> Tensor:
        """One call, without a mask."""
        return self.looked_up(q, k, values, None)
