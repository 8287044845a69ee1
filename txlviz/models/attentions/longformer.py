"""Longformer (Beltagy et al. 2020, section 3.1): a sliding window, and a few global tokens that see all and are seen by all."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor

from txlviz.models.attention import visible_keys
from txlviz.models.attentions.masked import MaskedAttention
from txlviz.models.config import ModelConfig


def visible(n_queries: int, n_keys: int, *, window: int, n_global: int, causal: bool) -> Tensor:
    """(L, K) bool: whether query i sees key j. Both count in the same sequence, so the first query stands at K - L.

    i sees j where |i - j| <= ``window``, where j is one of the first ``n_global`` tokens, or where i is one; in the causal
    form only where j <= i as well.

    Args:
        window: tokens to each side (the paper's w is twice that).
        causal: the window lies to the left, and a global token sees no later one. Our own construction: the paper's language
            model (section 4.1) has no global tokens, and windows that grow by layer, dilated in two heads of the higher ones.

    Raises:
        ValueError: a size makes no sense.
    """
    check(window, n_global)
    i = torch.arange(n_keys - n_queries, n_keys)[:, None]
    j = torch.arange(n_keys)[None, :]
    seen = ((i - j).abs() <= window) | (j < n_global) | (i < n_global)
    return seen & visible_keys(n_queries, n_keys) if causal else seen


def check(window: int, n_global: int) -> None:
    """ValueError for sizes below 0."""
    if window < 0 or n_global < 0:
        raise ValueError(f"no window of {window} with {n_global} global tokens: both must be at least 0")


class LongformerAttention(MaskedAttention):
    """The block's attention over ``visible``, in time and memory O(n · (window + n_global)).

    Global tokens use the same W_q, W_k and W_v as the others, so that the vanilla model's weights fit; the paper gives them
    projections of their own.
    """

    def __init__(self, config: ModelConfig, layer: int, *, window: int, n_global: int, causal: bool) -> None:
        super().__init__(config, layer)
        check(window, n_global)
        self.window, self.n_global, self.causal = window, n_global, causal

    def visible(self, n: int) -> Tensor:
        """(n, n) bool, of a text read at once."""
        return visible(n, n, window=self.window, n_global=self.n_global, causal=self.causal)

    def attended(self, q: Tensor, k: Tensor, values: Tensor) -> Tensor:
        """The band in blocks of queries, each with the keys of its window and the global keys; then the global queries."""
        batch, heads, n, width = q.shape
        block, n_global = max(1, self.window), min(self.n_global, n)
        n_blocks = -(-n // block)
        blocks = F.pad(q, (0, 0, 0, n_blocks * block - n)).reshape(batch * heads, n_blocks, block, width)
        keys, contents = (torch.cat([self._windows(x, n_blocks, block), self._globals(x, n_blocks)], 2) for x in (k, values))
        out = self.looked_up(blocks, keys, contents, self._seen(n, n_blocks, block, n_global)[None])
        out = out.reshape(batch, heads, n_blocks * block, width)[:, :, :n]
        if self.causal or n_global == 0:
            return out  # a causal global query sees the global keys before it, as any query does
        return torch.cat([self.looked_up(q[:, :, :n_global], k, values, None), out[:, :, n_global:]], dim=2)

    @property
    def _right(self) -> int:
        return 0 if self.causal else self.window

    def _windows(self, x: Tensor, n_blocks: int, block: int) -> Tensor:
        """(B·H, blocks, window + block + right, E): what the queries of each block may have in their windows."""
        n = x.shape[2]
        padded = F.pad(x, (0, 0, self.window, n_blocks * block - n + self._right))
        return padded.unfold(2, self.window + block + self._right, block).transpose(-1, -2).flatten(0, 1)

    def _globals(self, x: Tensor, n_blocks: int) -> Tensor:
        """(B·H, blocks, n_global, E): the global tokens, once more for each block."""
        return x[:, :, None, : self.n_global].expand(-1, -1, n_blocks, -1, -1).flatten(0, 1)

    def _seen(self, n: int, n_blocks: int, block: int, n_global: int) -> Tensor:
        """(blocks, block, window + block + right + n_global) bool, for the keys in the order of ``attended``."""
        i = torch.arange(n_blocks * block).view(n_blocks, block, 1)
        start = torch.arange(n_blocks)[:, None, None] * block
        j = start - self.window + torch.arange(self.window + block + self._right)
        ahead = self._right
        band = (i - j <= self.window) & (j - i <= ahead) & (j >= n_global) & (j < n)  # global keys stand apart
        first = torch.arange(n_global).expand(n_blocks, block, n_global)
        seen = torch.cat([band, first <= i if self.causal else torch.ones_like(first, dtype=torch.bool)], dim=-1)
        return seen | (i >= n)  # rows that only fill the last block: they see anything, so that no softmax is over nothing
