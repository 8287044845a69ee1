"""Transformer-XL (Dai et al. 2019, arXiv 1901.02860): segment recurrence and relative positions."""

from __future__ import annotations

import copy
from collections.abc import Sequence

import torch
from torch import Tensor, nn

from txlviz.models.attention import Recorder, RelativeAttention
from txlviz.models.block import Block
from txlviz.models.config import ModelConfig
from txlviz.models.language_model import LanguageModel, Memory, Output
from txlviz.models.positions import distances, sinusoids


class TransformerXL(LanguageModel):
    """N blocks of relative attention, each with a memory of its own input.

    ``mem_len`` may be set on a built model: it is a choice of how much to keep, not a weight.
    """

    def __init__(self, config: ModelConfig) -> None:
        super().__init__(config)
        self.mem_len = config.mem_len
        self.blocks = nn.ModuleList(Block(config, RelativeAttention(config, n)) for n in range(config.n_layers))
        # u and v of section 3.3, one pair a layer or one for all: (N or 1, H, E)
        pairs = 1 if config.tie_uv else config.n_layers
        self.u = nn.Parameter(torch.empty(pairs, config.n_heads, config.d_head))
        self.v = nn.Parameter(torch.empty(pairs, config.n_heads, config.d_head))
        self.init_weights()

    @property
    def mem_len(self) -> int:
        """(M) rows of each layer's input that are kept after a segment. 0 keeps none."""
        return self._mem_len

    @mem_len.setter
    def mem_len(self, rows: int) -> None:
        if not isinstance(rows, int) or rows < 0:
            raise ValueError(f"mem_len is {rows!r}; it must be a whole number of at least 0")
        self._mem_len = rows

    def with_mem_len(self, rows: int) -> TransformerXL:
        """The same model (the same weights, not copied) with another M. For callers that share one model over threads."""
        twin = copy.copy(self)
        twin.mem_len = rows
        return twin

    def forward(
        self,
        ids: Tensor,
        memory: Sequence[Tensor] | None = None,
        targets: Tensor | None = None,
        recorder: Recorder | None = None,
        *,
        stop_gradient: bool = True,
    ) -> Output:
        """One segment: h̃ = [SG(memory) ∘ h] in every layer (section 3.2), then the memory for the next one.

        ``stop_gradient`` is SG. Without it gradients flow into the segments before, as far as their graphs are still held: for
        experiments that ask what SG costs. Nothing else changes.
        """
        self._check_inputs(ids, recorder)
        old = self._checked(memory, batch=ids.shape[0])
        if stop_gradient:
            old = tuple(layer.detach() for layer in old)
        config = self.config
        place = distances(old[0].shape[1] + ids.shape[1], config.clamp_len).to(ids.device)  # (K,)
        R = self.dropout(sinusoids(place, config.d_model, self.embedding.weight.dtype))  # (K, D)
        longest = self.mem_len if config.same_length else None

        h = self.embed(ids)
        # The embeddings are kept as they are: a dropout mask on them is drawn anew each time they are read.
        new = [self._updated(old[0], h)]
        h, read = self.dropout(h), (self.dropout(old[0]), *old[1:])
        for n, block in enumerate(self.blocks):
            if n > 0:
                new.append(self._updated(old[n], h))
            pair = min(n, len(self.u) - 1)
            h = block(h, read[n], R, self.u[pair], self.v[pair], longest, recorder)
        h = self.dropout(h)
        kept = tuple(layer.detach() for layer in new) if stop_gradient else tuple(new)
        return Output(h, kept, None if targets is None else self.mean_loss(h, targets))

    def _updated(self, memory: Tensor, h: Tensor) -> Tensor:
        """The last M rows of the old memory followed by this segment's rows, oldest first."""
        rows = torch.cat([memory, h], dim=1)
        return rows[:, max(0, rows.shape[1] - self.mem_len) :]  # not rows[:, -M:], which keeps everything when M is 0

    def _checked(self, memory: Sequence[Tensor] | None, batch: int) -> Memory:
        """The memory to read: at most M rows, and of this model's shape, or ValueError."""
        config, weight = self.config, self.embedding.weight
        if memory is None:
            return tuple(weight.new_empty(batch, 0, config.d_model) for _ in self.blocks)
        if len(memory) != config.n_layers:
            raise ValueError(f"the memory has {len(memory)} layers, the model {config.n_layers}")
        rows = memory[0].shape[1] if memory[0].dim() == 3 else 0
        for n, layer in enumerate(memory):
            if layer.dim() != 3 or layer.shape[2] != config.d_model or layer.shape[1] != rows:
                expected = f"({batch}, {rows}, {config.d_model})"
                raise ValueError(f"the memory of layer {n} has the shape {tuple(layer.shape)}; expected {expected}")
            if layer.shape[0] != batch:
                raise ValueError(
                    f"the memory of layer {n} is of a batch of {layer.shape[0]}, the segment of a batch of {batch}: "
                    "start a new text with memory=None"
                )
        first = max(0, rows - self.mem_len)
        return tuple(layer[:, first:].to(weight.dtype) for layer in memory)
