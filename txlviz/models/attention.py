"""The two attentions: relative with memory (Transformer-XL), and plain causal (vanilla).

Both run through ``scaled_dot_product_attention``. Both also have a second path, taken when a recorder is given, which builds
every score from its four terms, so that what is shown on screen is what carried the forward pass.

Shape letters: B batch, L segment, M memory, K = M' + L keys, H heads, D width, E width of a head.
"""

from __future__ import annotations

import math
from typing import Literal, Protocol

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from txlviz.models.config import ModelConfig
from txlviz.models.key_value_cache import LayerCache
from txlviz.models.positions import relative_shift

Term = Literal["a", "b", "c", "d"]
TERMS: tuple[Term, ...] = ("a", "b", "c", "d")


class Recorder(Protocol):
    """What the traced path reports to. ``attention_weights`` decides what the layer goes on with."""

    def attention_weights(
        self, layer: int, terms: dict[Term, Tensor] | None, scores: Tensor, ordinary: Tensor, visible: Tensor
    ) -> Tensor:
        """``terms`` (B, H, L, K) before the scale (None: no exact split), ``scores`` scaled, -inf where hidden,
        ``ordinary`` the weights of the ordinary path on the same input, ``visible`` (L, K). Returns weights (B, H, L, K)."""


def split_heads(x: Tensor, n_heads: int) -> Tensor:
    """(B, K, H·E) to (B, H, K, E)."""
    batch, length, width = x.shape
    return x.view(batch, length, n_heads, width // n_heads).transpose(1, 2)


def merge_heads(x: Tensor) -> Tensor:
    """(B, H, L, E) to (B, L, H·E)."""
    return x.transpose(1, 2).flatten(2)


def visible_keys(n_queries: int, n_keys: int, longest: int | None = None) -> Tensor:
    """(L, K) bool: key j is visible to query i when 0 <= i - j, and i - j <= ``longest`` where that is given.

    Both count in the concatenated sequence, so the first query stands at K - L.
    """
    i = torch.arange(n_keys - n_queries, n_keys)[:, None]
    j = torch.arange(n_keys)[None, :]
    visible = i >= j
    return visible if longest is None else visible & (i - j <= longest)


def sdpa_weights(q: Tensor, k: Tensor, mask: Tensor | None, *, causal: bool, scale: float) -> Tensor:
    """The attention weights (B, H, L, K) that ``scaled_dot_product_attention`` uses but doesn't return.

    With V = identity its output is the weights. V is handed over in blocks of E columns, so that the shapes, and with them
    the kernel, are those of the ordinary call.
    """
    width, n_keys = q.shape[-1], k.shape[-2]
    identity = torch.eye(n_keys, dtype=q.dtype, device=q.device)
    blocks = []
    for start in range(0, n_keys, width):
        columns = F.pad(identity[:, start : start + width], (0, max(0, start + width - n_keys)))
        v = columns.expand(*k.shape[:2], n_keys, width)
        blocks.append(F.scaled_dot_product_attention(q, k, v, attn_mask=mask, is_causal=causal, scale=scale))
    return torch.cat(blocks, dim=-1)[..., :n_keys]


class MultiHeadAttention(nn.Module):
    """What both attentions share: the projections, and the call that the ordinary path goes through.

    ``relative`` adds W_{k,R}. It stands before W_o, since the order in which weights are drawn is part of what a seed means.
    """

    def __init__(self, config: ModelConfig, layer: int, *, relative: bool) -> None:
        super().__init__()
        self.layer = layer
        self.n_heads, self.scale = config.n_heads, 1.0 / math.sqrt(config.d_head)
        self.dropout = config.attention_dropout
        width = config.n_heads * config.d_head
        self.w_q = nn.Linear(config.d_model, width, bias=False)
        self.w_kv = nn.Linear(config.d_model, 2 * width, bias=False)  # W_k (W_{k,E} in the Transformer-XL) above W_v
        if relative:
            self.w_r = nn.Linear(config.d_model, width, bias=False)  # W_{k,R}
        self.w_o = nn.Linear(width, config.d_model, bias=False)

    def project(self, h: Tensor, h_tilde: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """q (B, H, L, E) of ``h`` (B, L, D); k and the values (B, H, K, E) of ``h_tilde`` (B, K, D)."""
        k, values = self.w_kv(h_tilde).chunk(2, dim=-1)
        return split_heads(self.w_q(h), self.n_heads), split_heads(k, self.n_heads), split_heads(values, self.n_heads)

    def attend(self, query: Tensor, k: Tensor, values: Tensor, mask: Tensor | None) -> Tensor:
        """The ordinary path, (B, L, D). Without a mask each query sees the keys up to itself."""
        out = F.scaled_dot_product_attention(
            query,
            k,
            values,
            attn_mask=mask,
            is_causal=mask is None,
            dropout_p=self.dropout if self.training else 0.0,
            scale=self.scale,
        )
        return self.w_o(merge_heads(out))  # type: ignore[no-any-return]


class RelativeAttention(MultiHeadAttention):
    """Multi-head attention with memory and relative positions (Dai et al. 2019, sections 3.2 and 3.3).

    score(i, j) = (a + b + c + d) / sqrt(E) with

    - (a) q_i·k_j, content to content
    - (b) q_i·r_{i-j}, content to position
    - (c) u·k_j, the content bias
    - (d) v·r_{i-j}, the position bias

    where q = W_q h, k = W_{k,E} h̃, r = W_{k,R} R and h̃ = [SG(memory) ∘ h].
    """

    def __init__(self, config: ModelConfig, layer: int) -> None:
        super().__init__(config, layer, relative=True)

    def forward(
        self,
        h: Tensor,
        memory: Tensor | LayerCache,
        R: Tensor | None,
        u: Tensor,
        v: Tensor,
        longest: int | None = None,
        recorder: Recorder | None = None,
        own: Tensor | None = None,
    ) -> Tensor:
        """(B, L, D) from ``h`` (B, L, D), ``memory`` (B, M', D), ``R`` (K, D) for distances K-1 to 0, ``u`` and ``v`` (H, E).

        ``longest`` is the largest visible distance (None: no limit but the memory). ``own`` (B, K) says which keys are of the
        stream's own text (None: all); the ordinary path alone takes it. In the place of memory and R may stand a cache, which
        holds both already projected, and takes in the new keys and values.
        """
        if isinstance(memory, LayerCache):
            q, k, values = self.project(h, h)
            k, values, r = memory.extended(k, values)
        else:
            assert R is not None
            h_tilde = torch.cat([memory, h], dim=1)  # (B, K, D)
            q, k, values = self.project(h, h_tilde)
            r = self.project_positions(R)  # (H, E, K)

        # (b) + (d) for every key, scaled. The shift leaves -inf at keys in the future: it is the causal mask as well.
        position = relative_shift(((q + v[:, None]) * self.scale) @ r)
        if longest is not None:
            position = position.masked_fill(~visible_keys(h.shape[1], k.shape[2], longest), -math.inf)
        if own is not None:
            position = position.masked_fill(~own[:, None, None, :], -math.inf)
        query = q + u[:, None]  # (a) + (c)
        if recorder is None:
            return self.attend(query, k, values, position)

        terms = self.terms(q, k, r, u, v)
        visible = visible_keys(h.shape[1], k.shape[2], longest)
        scores = sum_of(terms, visible) * self.scale
        ordinary = sdpa_weights(query, k, position, causal=False, scale=self.scale)
        weights = recorder.attention_weights(self.layer, terms, scores, ordinary, visible)
        return self.w_o(merge_heads(weights @ values))  # type: ignore[no-any-return]

    def project_positions(self, R: Tensor) -> Tensor:
        """r = W_{k,R} R: (K, D) to (H, E, K)."""
        return self.w_r(R).view(len(R), self.n_heads, -1).permute(1, 2, 0)  # type: ignore[no-any-return]

    @staticmethod
    def terms(q: Tensor, k: Tensor, r: Tensor, u: Tensor, v: Tensor) -> dict[Term, Tensor]:
        """The four terms (B, H, L, K), each computed on its own, before the scale. (b) and (d) are 0 where i - j < 0."""
        a = q @ k.transpose(-1, -2)
        b = relative_shift(q @ r, fill=0.0)
        c = u[:, None] @ k.transpose(-1, -2)  # (B, H, 1, K): the same for every query
        d = relative_shift((v[:, None] @ r).expand(-1, q.shape[-2], -1), fill=0.0)  # (H, L, K)
        return {"a": a, "b": b, "c": c.expand_as(a), "d": d.expand_as(a)}


class AbsoluteAttention(MultiHeadAttention):
    """Multi-head causal attention inside one segment (Vaswani et al. 2017, section 3.2), without positions of its own."""

    def __init__(self, config: ModelConfig, layer: int) -> None:
        super().__init__(config, layer, relative=False)

    def forward(self, h: Tensor, parts: tuple[Tensor, Tensor] | None = None, recorder: Recorder | None = None) -> Tensor:
        """(B, L, D) from ``h`` (B, L, D). ``parts`` is (embedding, position) where ``h`` is their sum: the first layer."""
        q, k, values = self.project(h, h)
        if recorder is None:
            return self.attend(q, k, values, mask=None)

        terms = None if parts is None else self.terms(*parts)
        visible = visible_keys(h.shape[1], h.shape[1])
        total = (q @ k.transpose(-1, -2)).masked_fill(~visible, -math.inf) if terms is None else sum_of(terms, visible)
        ordinary = sdpa_weights(q, k, None, causal=True, scale=self.scale)
        weights = recorder.attention_weights(self.layer, terms, total * self.scale, ordinary, visible)
        return self.w_o(merge_heads(weights @ values))  # type: ignore[no-any-return]

    def terms(self, embedding: Tensor, position: Tensor) -> dict[Term, Tensor]:
        """The split of A^abs (Dai et al. 2019, section 3.3) for input E + U: (a) E·E, (b) E·U, (c) U·E, (d) U·U.

        ``embedding`` is (B, L, D), ``position`` (L, D). Returns (B, H, L, L) each, before the scale.
        """
        position = position.expand_as(embedding)
        q_e, q_u = (split_heads(self.w_q(x), self.n_heads) for x in (embedding, position))
        k_e, k_u = (
            split_heads(self.w_kv(x).chunk(2, dim=-1)[0], self.n_heads).transpose(-1, -2) for x in (embedding, position)
        )
        return {"a": q_e @ k_e, "b": q_e @ k_u, "c": q_u @ k_e, "d": q_u @ k_u}


def sum_of(terms: dict[Term, Tensor], visible: Tensor) -> Tensor:
    """a + b + c + d, -inf at hidden keys."""
    total = terms["a"] + terms["b"] + terms["c"] + terms["d"]
    return total.masked_fill(~visible, -math.inf)
