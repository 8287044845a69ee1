"""The vanilla model on its best terms: each token given the L - 1 tokens before it and the one that it is predicted from."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor

from txlviz.models import VanillaTransformer
from txlviz.models.attention import AbsoluteAttention, merge_heads, split_heads
from txlviz.models.block import Block
from txlviz.models.positions import sinusoids

_WINDOWS_AT_ONCE = 64


@torch.inference_mode()
def sliding_losses(model: VanillaTransformer, ids: Tensor, first: int = 1, end: int | None = None) -> Tensor:
    """Losses of a window of L tokens that is moved by one token, one loss a window: evaluation with stride 1.

    The same numbers as ``stream_losses(model, ids, L, stride=1)`` up to rounding, in pieces, and faster: the last layer
    computes the one query that is read.

    Args:
        ids: (T + 1,) token ids.
        first: the first place in ``ids`` that is scored, at least 1.
        end: the place after the last that is scored; None takes all.

    Returns:
        (end - first,) nats.
    """
    end = len(ids) if end is None else end
    if not 1 <= first < end <= len(ids):
        raise ValueError(f"the places {first} to {end} don't lie within 1 to {len(ids)}")
    length = model.config.segment_length
    losses = [_short(model, ids, first, min(end, length))] if first < length else []
    for places in torch.split(torch.arange(max(first, length), max(end, length)), _WINDOWS_AT_ONCE):
        if not len(places):
            break
        windows = ids[places[:, None] + torch.arange(-length, 0)]
        losses.append(model.token_losses(last_hidden(model, windows), ids[places][:, None])[:, 0])
    return torch.cat(losses)


def last_hidden(model: VanillaTransformer, ids: Tensor) -> Tensor:
    """(B, 1, D) the hidden state at the last of ``ids`` (B, L): what ``model(ids).hidden[:, -1:]`` is, up to rounding."""
    top = model.blocks[-1]
    assert isinstance(top, Block)
    return last_row(top, layer_input(model, ids, model.config.n_layers - 1))


def last_row(top: Block, h: Tensor) -> Tensor:
    """(B, 1, D) what a vanilla layer gives at the last place of ``h`` (B, L, D): keys and values of all rows, one query."""
    attention, last = top.attention, h[:, -1:]
    assert isinstance(attention, AbsoluteAttention)
    q = split_heads(attention.w_q(last), attention.n_heads)
    k, values = (split_heads(x, attention.n_heads) for x in attention.w_kv(h).chunk(2, dim=-1))
    seen = F.scaled_dot_product_attention(q, k, values, scale=attention.scale)  # the last query sees all keys
    last = top.attention_norm(last + attention.w_o(merge_heads(seen)))
    hidden: Tensor = top.feed_forward_norm(last + top.feed_forward(last))
    return hidden


def layer_input(model: VanillaTransformer, ids: Tensor, layer: int) -> Tensor:
    """(B, L, D) what a layer (from 0) reads of ``ids`` (B, L)."""
    h = model.embed(ids) + sinusoids(torch.arange(ids.shape[1]), model.config.d_model, model.embedding.weight.dtype)
    for block in model.blocks[:layer]:
        h = block(h)
    return h


def _short(model: VanillaTransformer, ids: Tensor, first: int, end: int) -> Tensor:
    """The first window of a text, which grows to L: one pass gives all its losses."""
    hidden = model(ids[None, : end - 1]).hidden
    return model.token_losses(hidden, ids[None, 1:end])[0, first - 1 :]
