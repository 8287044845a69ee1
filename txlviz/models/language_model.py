"""What both models have in common: tied embedding and softmax, the loss, and the shape of a forward pass."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from txlviz.models.attention import Recorder
from txlviz.models.config import ModelConfig

Memory = tuple[Tensor, ...]
"""One (B, M', D) tensor a layer: that layer's past inputs, oldest first. M' <= M rows are filled."""

_CHUNK = 256  # rows of logits held at once in training: 256 x 4,096 floats (4 MB) stay in the processor's cache
_SCORED_ROWS = 4096  # rows of logits held at once in evaluation: bounds the memory for a very long segment


@dataclass(frozen=True)
class Output:
    """What a forward pass gives back."""

    hidden: Tensor
    """(B, L, D) the last hidden state; ``model.logits`` turns it into scores over the vocabulary."""
    memory: Memory
    """The memory after this segment, detached. Empty for the vanilla model."""
    loss: Tensor | None
    """Mean loss in nats over the targets, where targets were given."""


class LanguageModel(nn.Module):
    """Base of both models. Subclasses hold ``blocks`` and define ``forward``."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.config = config
        self.embedding = nn.Embedding(config.vocab_size, config.d_model)
        self.softmax_bias = nn.Parameter(torch.empty(config.vocab_size))
        self.dropout = nn.Dropout(config.dropout)

    @property
    def has_memory(self) -> bool:
        """Whether segments read what was kept of the segments before."""
        return False

    def init_weights(self) -> None:
        """Normal(0, 0.02) for matrices, as in the original code; biases 0, layer norms 1 and 0."""
        for name, parameter in self.named_parameters():
            if parameter.dim() > 1:
                nn.init.normal_(parameter, std=0.02)
            elif not name.endswith("norm.weight"):
                nn.init.zeros_(parameter)

    def embed(self, ids: Tensor) -> Tensor:
        """(B, L) token ids to (B, L, D) embeddings, scaled by sqrt(D)."""
        return self.embedding(ids) * math.sqrt(self.config.d_model)  # type: ignore[no-any-return]

    def _check_inputs(self, ids: Tensor, recorder: Recorder | None) -> None:
        if ids.dim() != 2 or ids.numel() == 0:
            raise ValueError(f"expected token ids of the shape (batch, length) with at least one token, got {tuple(ids.shape)}")
        if recorder is not None and self.training:
            raise ValueError("a recorder needs the model in evaluation mode: with dropout, the terms wouldn't be the scores")

    def forward(
        self,
        ids: Tensor,
        memory: Sequence[Tensor] | None = None,
        targets: Tensor | None = None,
        recorder: Recorder | None = None,
    ) -> Output:
        """Runs one segment.

        Args:
            ids: (B, L) token ids.
            memory: what the last call returned, or None at the start of a text. It is never changed.
            targets: (B, L) the next token of each position; with them ``Output.loss`` is the mean loss.
            recorder: takes the traced path and receives every layer's terms and weights.
        """
        raise NotImplementedError

    def logits(self, hidden: Tensor) -> Tensor:
        """(…, D) to (…, V): the softmax layer, whose matrix is the embedding's."""
        return F.linear(hidden, self.embedding.weight, self.softmax_bias)

    def mean_loss(self, hidden: Tensor, targets: Tensor) -> Tensor:
        """Mean negative log-likelihood (nats) over all positions, in chunks, so that no (B·L, V) table is ever held."""
        return F.linear_cross_entropy(
            hidden.reshape(-1, hidden.shape[-1]),
            self.embedding.weight,
            targets.reshape(-1),
            linear_bias=self.softmax_bias,
            options=nn.LinearCrossEntropyOptions(batch_chunk_size=_CHUNK),
        )

    def token_losses(self, hidden: Tensor, targets: Tensor) -> Tensor:
        """(B, L) the negative log-likelihood (nats) of each target."""
        rows, wanted = torch.split(hidden.flatten(0, -2), _SCORED_ROWS), torch.split(targets.flatten(), _SCORED_ROWS)
        losses = [F.cross_entropy(self.logits(h), t, reduction="none") for h, t in zip(rows, wanted, strict=True)]
        return torch.cat(losses).view_as(targets)

    def parameter_count(self) -> int:
        """Trainable numbers in the model; the tied embedding counts once."""
        return sum(p.numel() for p in self.parameters())
