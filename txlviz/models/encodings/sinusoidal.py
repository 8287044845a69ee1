"""Absolute sinusoids, added to the embeddings (Vaswani et al. 2017, section 3.5)."""

from __future__ import annotations

import torch
from torch import Tensor

from txlviz.models.encodings.base import PositionSystem
from txlviz.models.positions import sinusoids
from txlviz.models.system_config import SystemConfig


class Sinusoids(PositionSystem):
    """x_i + U_i, where U_i is the sinusoid vector of place i of the segment. Nothing is learned."""

    def __init__(self, config: SystemConfig, layer: int) -> None:
        super().__init__(config, layer)
        self._width = config.d_model if layer == 0 else 0

    def at_input(self, n: int) -> Tensor | None:
        """(n, D) U of the places 0 to n - 1, in float64: the model rounds it to its own precision."""
        return sinusoids(torch.arange(n), self._width, torch.float64) if self._width else None
