"""Transformer-XL (Dai et al. 2019, arXiv 1901.02860): segment recurrence and relative positions."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor, nn

from txlviz.models.attention import Recorder, RelativeAttention
from txlviz.models.block import Block
from txlviz.models.config import ModelConfig
from txlviz.models.language_model import Output
from txlviz.models.positions import distances, sinusoids
from txlviz.models.recurrent import RecurrentModel


class TransformerXL(RecurrentModel):
    """N blocks of relative attention, each with a memory of its own input."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__(config)
        self.blocks = nn.ModuleList(Block(config, RelativeAttention(config, n)) for n in range(config.n_layers))
        # u and v of section 3.3, one pair a layer or one for all: (N or 1, H, E)
        pairs = 1 if config.tie_uv else config.n_layers
        self.u = nn.Parameter(torch.empty(pairs, config.n_heads, config.d_head))
        self.v = nn.Parameter(torch.empty(pairs, config.n_heads, config.d_head))
        self.init_weights()

    def forward(
        self,
        ids: Tensor,
        memory: Sequence[Tensor] | None = None,
        targets: Tensor | None = None,
        recorder: Recorder | None = None,
        *,
        stop_gradient: bool = True,
        own_rows: Tensor | None = None,
    ) -> Output:
        """One segment: h̃ = [SG(memory) ∘ h] in every layer (section 3.2), then the memory for the next one.

        Args:
            stop_gradient: SG. Without it gradients flow into the segments before, as far as their graphs are still held: for
                experiments that ask what SG costs. Nothing else changes.
            own_rows: (B,) how many of the memory's newest rows are of each stream's own text; older ones are hidden. None:
                all. For training, where some streams begin a new text while others go on.
        """
        self._check_inputs(ids, recorder)
        if own_rows is not None and recorder is not None:
            raise ValueError("a recorder is told of one set of visible keys for all rows: it can't be used with own_rows")
        old = self._checked(memory, batch=ids.shape[0])
        if stop_gradient:
            old = tuple(layer.detach() for layer in old)
        config = self.config
        place = distances(old[0].shape[1] + ids.shape[1], config.clamp_len).to(ids.device)  # (K,)
        R = self.dropout(sinusoids(place, config.d_model, self.embedding.weight.dtype))  # (K, D)
        longest = self.mem_len if config.same_length else None
        own = None if own_rows is None else _age(old[0].shape[1], ids.shape[1]) < own_rows[:, None]

        h = self.embed(ids)
        # The embeddings are kept as they are: a dropout mask on them is drawn anew each time they are read.
        new = [self._updated(old[0], h)]
        h, read = self.dropout(h), (self.dropout(old[0]), *old[1:])
        for n, block in enumerate(self.blocks):
            if n > 0:
                new.append(self._updated(old[n], h))
            pair = min(n, len(self.u) - 1)
            h = block(h, read[n], R, self.u[pair], self.v[pair], longest, recorder, own)
        h = self.dropout(h)
        kept = tuple(layer.detach() for layer in new) if stop_gradient else tuple(new)
        return Output(h, kept, None if targets is None else self.mean_loss(h, targets))


def _age(n_rows: int, length: int) -> Tensor:
    """(K,) of each key how many rows of the memory are newer than it; -1 for the segment's own keys."""
    return torch.cat([torch.arange(n_rows - 1, -1, -1), torch.full((length,), -1)])
