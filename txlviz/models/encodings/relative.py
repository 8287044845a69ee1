"""The Transformer-XL's relative positions (Dai et al. 2019, section 3.3), as a system beside others."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from txlviz.models.attention import RelativeAttention, Term
from txlviz.models.encodings.base import PositionSystem
from txlviz.models.positions import distances, relative_shift, sinusoids
from txlviz.models.system_config import SystemConfig


class Relative(PositionSystem):
    """Adds (b) q_i·r_{i-j}, (c) u·k_j and (d) v·r_{i-j} to (a) q_i·k_j, with r = W_{k,R} R.

    ``config.without`` names terms that the model is built without: their weights don't exist either. Without (a) contents don't
    meet contents at all.
    """

    def __init__(self, config: SystemConfig, layer: int) -> None:
        super().__init__(config, layer)
        self.without = frozenset(config.without)
        self.n_heads, self.width = config.n_heads, config.d_model
        heads = (config.n_heads, 1, config.d_head)  # (H, 1, E): the same for every query
        if not self.without >= {"b", "d"}:
            self.w_r = nn.Linear(config.d_model, config.n_heads * config.d_head, bias=False)  # W_{k,R}
            self.dropout = nn.Dropout(config.dropout)
        self.u = None if "c" in self.without else nn.Parameter(torch.empty(heads))
        self.v = None if "d" in self.without else nn.Parameter(torch.empty(heads))

    def rotated(self, q: Tensor, k: Tensor) -> tuple[Tensor, Tensor]:
        """q and k as they are; without (a) a query of zeros, so that their product adds nothing."""
        return (torch.zeros_like(q) if "a" in self.without else q), k

    def bias(self, q: Tensor, k: Tensor, scale: float) -> Tensor | None:
        """(B, H, L, K) (b) + (c) + (d), scaled."""
        total: Tensor | None = None
        if hasattr(self, "w_r"):
            query = q if self.v is None else q + self.v if "b" not in self.without else self.v.expand_as(q)
            total = relative_shift((query * scale) @ self._r(k), fill=0.0)
        if self.u is not None:
            c = (self.u * scale) @ k.transpose(-1, -2)  # (B, H, 1, K)
            total = c.expand(-1, -1, q.shape[2], -1) if total is None else total + c
        return total

    def part(self, q: Tensor, k: Tensor, scale: float) -> Tensor | None:
        """(B, H, L, K) (b) + (d), scaled: the two terms in which distances stand. (c) is about contents."""
        terms = self.terms(q, k)
        return (terms["b"] + terms["d"]) * scale

    def terms(self, q: Tensor, k: Tensor) -> dict[Term, Tensor]:
        """Each term on its own; 0 for those left out."""
        zero = q.new_zeros(q.shape[1], q.shape[3])
        r = self._r(k) if hasattr(self, "w_r") else q.new_zeros(q.shape[1], q.shape[3], k.shape[2])
        u, v = (zero if bias is None else bias[:, 0] for bias in (self.u, self.v))
        split = RelativeAttention.terms(q, k, r, u, v)
        return {term: torch.zeros_like(values) if term in self.without else values for term, values in split.items()}

    def _r(self, k: Tensor) -> Tensor:
        """(H, E, K) r = W_{k,R} R for the distances K-1 to 0."""
        R = self.dropout(sinusoids(distances(k.shape[2]), self.width, k.dtype))
        r: Tensor = self.w_r(R).view(len(R), self.n_heads, -1).permute(1, 2, 0)
        return r
