"""The baseline: a segment Transformer with absolute sinusoids and no memory (the vanilla model of Al-Rfou et al. 2018)."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor, nn

from txlviz.models.attention import AbsoluteAttention, Recorder
from txlviz.models.block import Block
from txlviz.models.config import ModelConfig
from txlviz.models.language_model import LanguageModel, Output
from txlviz.models.positions import sinusoids


class VanillaTransformer(LanguageModel):
    """The same blocks as the Transformer-XL; each segment starts from nothing and counts its positions from 0."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__(config)
        self.blocks = nn.ModuleList(Block(config, AbsoluteAttention(config, n)) for n in range(config.n_layers))
        self.init_weights()

    def forward(
        self,
        ids: Tensor,
        memory: Sequence[Tensor] | None = None,
        targets: Tensor | None = None,
        recorder: Recorder | None = None,
    ) -> Output:
        """One segment on its own. A memory with rows in it raises ValueError: this model has none."""
        self._check_inputs(ids, recorder)
        if memory is not None and any(layer.shape[1] for layer in memory):
            raise ValueError("the vanilla model has no memory")
        embedding = self.embed(ids)  # E (B, L, D)
        U = sinusoids(torch.arange(ids.shape[1], device=ids.device), self.config.d_model, embedding.dtype)  # (L, D)
        h = self.dropout(embedding + U)
        for n, block in enumerate(self.blocks):
            h = block(h, (embedding, U) if n == 0 else None, recorder)
        h = self.dropout(h)
        return Output(h, (), None if targets is None else self.mean_loss(h, targets))
