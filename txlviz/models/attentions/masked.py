"""What the attentions over chosen pairs share: the block's call, and the traced path, which writes the whole matrix out."""

from __future__ import annotations

import math

import torch
import torch.nn.functional as F
from torch import Tensor

from txlviz.models.attention import AbsoluteAttention, Recorder, merge_heads, sum_of


class MaskedAttention(AbsoluteAttention):
    """Multi-head attention over a text of n tokens in which query i sees the keys that ``visible`` names.

    The parameters are those of the vanilla model's layer. A subclass says which pairs there are (``visible``), and reads them
    without an n x n matrix (``attended``); a test holds the two together.
    """

    causal: bool
    """Whether no query sees a later key."""

    def visible(self, n: int) -> Tensor:
        """(n, n) bool: row i holds the keys that query i sees."""
        raise NotImplementedError

    def attended(self, q: Tensor, k: Tensor, values: Tensor) -> Tensor:
        """softmax(QKᵀ · scale over the visible keys) V: (B, H, n, E) each to (B, H, n, E)."""
        raise NotImplementedError

    def forward(self, h: Tensor, parts: tuple[Tensor, Tensor] | None = None, recorder: Recorder | None = None) -> Tensor:
        """(B, n, D) from ``h`` (B, n, D). ``parts`` as in ``AbsoluteAttention``."""
        q, k, values = self.project(h, h)
        if recorder is None:
            return self.w_o(merge_heads(self.attended(q, k, values)))  # type: ignore[no-any-return]
        visible = self.visible(h.shape[1])
        terms = None if parts is None else self.terms(*parts)
        total = (q @ k.transpose(-1, -2)).masked_fill(~visible, -math.inf) if terms is None else sum_of(terms, visible)
        weights = recorder.attention_weights(self.layer, terms, total * self.scale, self.weights(q, k), visible)
        return self.w_o(merge_heads(weights @ values))  # type: ignore[no-any-return]

    def weights(self, q: Tensor, k: Tensor) -> Tensor:
        """(B, H, n, n) the weights of the ordinary path: what it gives where the values are the identity, E columns at once."""
        n, width = k.shape[-2], k.shape[-1]
        identity = torch.eye(n, dtype=k.dtype, device=k.device)
        columns = [F.pad(part, (0, width - part.shape[1])) for part in torch.split(identity, width, dim=1)]
        return torch.cat([self.attended(q, k, part.expand_as(k)) for part in columns], dim=-1)[..., :n]

    def looked_up(self, q: Tensor, k: Tensor, values: Tensor, mask: Tensor | None) -> Tensor:
        """``scaled_dot_product_attention`` with this layer's scale and dropout; ``mask`` is bool, True where a key is seen."""
        dropout = self.dropout if self.training else 0.0
        return F.scaled_dot_product_attention(q, k, values, attn_mask=mask, dropout_p=dropout, scale=self.scale)
