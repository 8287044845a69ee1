"""Relative position representations (Shaw et al. 2018, section 3.2), in their causal form."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from txlviz.models.encodings.base import PositionSystem
from txlviz.models.positions import distances, relative_shift
from txlviz.models.system_config import SystemConfig


class Shaw(PositionSystem):
    """e_ij = q_i·(k_j + a^K_ij) / sqrt(E) (eq. 4) and z_i = sum_j w_ij (v_j + a^V_ij) (eq. 3).

    a_ij is a learned vector of the distance i - j, clipped at k. A causal model has no distance below 0, so there are k + 1
    vectors in each table and not 2k + 1. The heads of a layer share them (section 3.3).
    """

    adds_values = True

    def __init__(self, config: SystemConfig, layer: int) -> None:
        super().__init__(config, layer)
        self.clip = config.clip
        self.a_k = nn.Parameter(torch.empty(config.clip + 1, config.d_head))  # a^K of distance 0 to k
        self.a_v = nn.Parameter(torch.empty(config.clip + 1, config.d_head))  # a^V

    def bias(self, q: Tensor, k: Tensor, scale: float) -> Tensor | None:
        """(B, H, L, K) q_i·a^K_{i-j}, scaled."""
        by_distance = (q * scale) @ self.a_k[distances(k.shape[2]).clamp(max=self.clip)].T
        return relative_shift(by_distance, fill=0.0)

    def values(self, weights: Tensor) -> Tensor | None:
        """(B, H, L, E) the sum over keys of w_ij a^V_{i-j}: first the weights of each distance are added up, then one
        product."""
        n_queries, n_keys = weights.shape[-2:]
        i = torch.arange(n_keys - n_queries, n_keys)[:, None]
        distance = (i - torch.arange(n_keys)).clamp(0, self.clip)  # keys in the future have the weight 0
        by_distance = weights.new_zeros(*weights.shape[:-1], self.clip + 1)
        return by_distance.scatter_add(-1, distance.expand_as(weights), weights) @ self.a_v
