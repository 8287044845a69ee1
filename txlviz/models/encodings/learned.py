"""Learned absolute positions, added to the embeddings (Gehring et al. 2017; compared in Vaswani et al. 2017, table 3 row E)."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from txlviz.models.encodings.base import PositionSystem
from txlviz.models.system_config import SystemConfig


class Learned(PositionSystem):
    """x_i + P_i with one learned vector for each place of a training segment, and none beyond."""

    def __init__(self, config: SystemConfig, layer: int) -> None:
        super().__init__(config, layer)
        if layer == 0:
            self.table = nn.Parameter(torch.empty(config.segment_length, config.d_model))  # P

    def at_input(self, n: int) -> Tensor | None:
        """(n, D) the first n rows of P; ValueError where there are fewer."""
        if not hasattr(self, "table"):
            return None
        if n > len(self.table):
            raise ValueError(
                f"{n} tokens are too long for learned positions: there are {len(self.table)} of them, one for each place of a "
                "training segment"
            )
        return self.table[:n]
