"""What evaluation and generation may keep instead of a memory: its keys and values, already projected.

A memory holds rows of h, and every segment projects them anew. Once the weights don't change, neither do those projections:
W_k and W_v of a kept row are kept rows of W_k and W_v. The positions r are projected once, for all distances.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch
from torch import Tensor

from txlviz.models.positions import distances, sinusoids

if TYPE_CHECKING:
    from txlviz.models.attention import RelativeAttention
    from txlviz.models.transformer_xl import TransformerXL


class LayerCache:
    """One layer's keys and values of the last M rows, and its r for every distance that can occur."""

    def __init__(self, attention: RelativeAttention, rows: Tensor, R: Tensor, mem_len: int) -> None:
        """``rows`` (B, M', D) is the layer's memory; ``R`` (K, D) holds the distances K-1 to 0, K the most keys at once."""
        self._mem_len = mem_len
        self._r = attention.project_positions(R).contiguous()  # (H, E, K)
        _, k, values = attention.project(rows, rows)  # (B, H, M', E)
        room = 2 * len(R)  # twice what is looked at, so that the rows move to the front only once in M steps
        self._kept = k.new_empty(2, *k.shape[:2], room, k.shape[-1])
        self._start, self._end = 0, k.shape[2]
        self._kept[:, :, :, : self._end] = torch.stack([k, values])

    def extended(self, k: Tensor, values: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Takes in (B, H, L, E) new keys and values; returns all K that a query may look at, and r (H, E, K)."""
        new = k.shape[2]
        self._start = max(self._start, self._end - self._mem_len)
        if self._end + new > self._kept.shape[3]:
            held = self._end - self._start
            self._kept[:, :, :, :held] = self._kept[:, :, :, self._start : self._end].clone()
            self._start, self._end = 0, held
        self._kept[0, :, :, self._end : self._end + new] = k
        self._kept[1, :, :, self._end : self._end + new] = values
        self._end += new
        keys, held_values = self._kept[:, :, :, self._start : self._end]
        return keys, held_values, self._r[..., self._r.shape[-1] - keys.shape[2] :]


class KeyValueCache:
    """The cache of a model; ``step`` reads and updates it."""

    def __init__(self, model: TransformerXL, memory: tuple[Tensor, ...] | None = None, *, at_most: int = 1) -> None:
        """
        Args:
            model: in evaluation mode. Its weights and its M must stay as they are.
            memory: what the model returned for the text so far; None or empty at the start of a text.
            at_most: the most tokens that one ``step`` will be given.
        """
        if model.training:
            raise ValueError("a cache needs the model in evaluation mode: in training the weights change")
        weight = model.embedding.weight
        with torch.inference_mode():
            R = sinusoids(
                distances(model.mem_len + at_most, model.config.clamp_len).to(weight.device), weight.shape[1], weight.dtype
            )
            rows = memory or tuple(weight.new_empty(1, 0, weight.shape[1]) for _ in model.blocks)
            kept = [layer[:, max(0, layer.shape[1] - model.mem_len) :] for layer in rows]
            self._layers = [
                LayerCache(block.attention, layer, R, model.mem_len)  # type: ignore[arg-type]
                for block, layer in zip(model.blocks, kept, strict=True)
            ]
        self._model, self._at_most = model, at_most

    @torch.inference_mode()
    def step(self, ids: Tensor) -> Tensor:
        """(B, L) the next tokens of the text to (B, L, D) hidden states: those of ``model(ids, memory)``, the next segment."""
        if ids.shape[1] > self._at_most:
            raise ValueError(f"{ids.shape[1]} tokens were given at once; the cache was made for at most {self._at_most}")
        model = self._model
        longest = model.mem_len if model.config.same_length else None
        h = model.embed(ids)
        for n, block in enumerate(model.blocks):
            pair = min(n, len(model.u) - 1)
            h = block(h, self._layers[n], None, model.u[pair], model.v[pair], longest)
        return h
