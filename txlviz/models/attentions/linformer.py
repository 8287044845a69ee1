"""Linformer (Wang et al. 2020, section 4): keys and values projected from n rows to k, so that the scores are n x k."""

from __future__ import annotations

import math

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from txlviz.models.attention import MultiHeadAttention, Recorder, merge_heads, sdpa_weights
from txlviz.models.config import ModelConfig


class LinformerAttention(MultiHeadAttention):
    """softmax(Q (E K)ᵀ / sqrt(E)) F V (eq. 7), where ``E`` and ``F`` are (k, n) and one pair serves all heads of the layer.

    Each of the k rows mixes tokens of the whole text, later ones too: no mask can make this attention causal. ``E`` and ``F``
    are parameters for one length n. A shorter text is read as in the authors' code: through the first columns, which is as if
    zeros filled it up. A longer one can't be read.
    """

    causal = False

    def __init__(self, config: ModelConfig, layer: int, *, rank: int, longest: int, seed: int | None = None) -> None:
        """``rank`` is k, ``longest`` n. E and F are drawn as in the authors' code, uniformly with the variance 1 / (n + k)."""
        super().__init__(config, layer, relative=False)
        if rank < 1 or longest < 1:
            raise ValueError(f"no projection from {longest} rows to {rank}: both must be at least 1")
        generator = None if seed is None else torch.Generator().manual_seed(seed)
        self.E, self.F = (nn.Parameter(torch.empty(rank, longest)) for _ in range(2))
        for projection in (self.E, self.F):
            nn.init.xavier_uniform_(projection, gain=1 / math.sqrt(2), generator=generator)

    def visible(self, n: int) -> Tensor:
        """(n, n) bool, all True: what a query reads is mixed from every row."""
        self._check(n)
        return torch.ones(n, n, dtype=torch.bool)

    def forward(self, h: Tensor, parts: tuple[Tensor, Tensor] | None = None, recorder: Recorder | None = None) -> Tensor:
        """(B, n, D) from ``h`` (B, n, D), n at most the length of the projections.

        A recorder gets scores and weights (B, H, n, k): the keys are projected rows, not tokens, and there are no terms.
        """
        n = h.shape[1]
        self._check(n)
        q, k, values = self.project(h, h)
        k, values = self.E[:, :n] @ k, self.F[:, :n] @ values  # (B, H, k, E)
        if recorder is None:
            dropout = self.dropout if self.training else 0.0
            out = F.scaled_dot_product_attention(q, k, values, dropout_p=dropout, scale=self.scale)
            return self.w_o(merge_heads(out))  # type: ignore[no-any-return]
        scores = q @ k.transpose(-1, -2) * self.scale
        seen = torch.ones(n, len(self.E), dtype=torch.bool)
        ordinary = sdpa_weights(q, k, None, causal=False, scale=self.scale)
        weights = recorder.attention_weights(self.layer, None, scores, ordinary, seen)
        return self.w_o(merge_heads(weights @ values))  # type: ignore[no-any-return]

    def by_token(self, weights: Tensor, n: int) -> Tensor:
        """(…, n, n) the share that each token's value has in each output: the weights (…, n, k) times F. It may be negative."""
        return weights @ self.F[:, :n]

    def _check(self, n: int) -> None:
        if n > self.E.shape[1]:
            raise ValueError(f"a text of {n} tokens is too long: the projections were made for {self.E.shape[1]}")
