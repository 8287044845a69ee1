"""Attention by the definition, in loops over queries and keys: softmax of q·k / sqrt(E) over the pairs that are seen."""

from __future__ import annotations

import math
from typing import Any

import torch
from torch import Tensor

from tests.models.small import config, randomised
from txlviz.models.attention import MultiHeadAttention
from txlviz.models.attentions import SYSTEMS, Settings

SMALL = Settings(
    segment_length=5,
    memory_length=3,
    window=3,
    n_global=2,
    block=4,
    window_blocks=3,
    n_global_blocks=1,
    n_random_blocks=1,
    rank=4,
    seed=1,
)
WHOLE = ("full", "longformer-causal", "longformer", "bigbird", "linformer")
"""The systems whose module reads a whole text in one call."""


def attention(name: str, n: int, settings: Settings = SMALL, dtype: torch.dtype = torch.float64, **changes: Any) -> Any:
    """The module of layer 0 with large random weights, in eval mode."""
    module = SYSTEMS[name].attention(config("vanilla", **changes), 0, settings, n)
    return randomised(module, std=0.4).to(dtype)


def by_loops(module: MultiHeadAttention, h: Tensor, seen: list[list[bool]]) -> Tensor:
    """(B, n, D) from ``h`` (B, n, D) and the pairs ``seen[i][j]``."""
    W_q, (W_k, W_v), W_o = module.w_q.weight, module.w_kv.weight.chunk(2), module.w_o.weight
    H = module.n_heads
    E = W_q.shape[0] // H
    out = torch.zeros_like(h)
    for b, text in enumerate(h):
        for i, x in enumerate(text):
            heads = []
            for head in range(H):
                rows = slice(head * E, (head + 1) * E)
                q = W_q[rows] @ x
                keys = [j for j, one in enumerate(seen[i]) if one]
                scores = torch.stack([q @ (W_k[rows] @ text[j]) / math.sqrt(E) for j in keys])
                shares = scores.exp() / scores.exp().sum()
                heads.append(sum(share * (W_v[rows] @ text[j]) for share, j in zip(shares, keys, strict=True)))
            out[b, i] = W_o @ torch.cat(heads)  # type: ignore[arg-type]
    return out
