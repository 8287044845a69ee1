"""Memory: what a model with segment recurrence keeps of a segment, and what it takes back (Dai et al. 2019, section 3.2)."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Self

import torch
from torch import Tensor

from txlviz.models.config import ModelConfig
from txlviz.models.language_model import LanguageModel, Memory


class RecurrentModel(LanguageModel):
    """A model whose every layer may read the rows that the same layer read in the segments before.

    ``mem_len`` may be set on a built model: it is a choice of how much to keep, not a weight.
    """

    def __init__(self, config: ModelConfig) -> None:
        super().__init__(config)
        self.mem_len = config.mem_len

    @property
    def has_memory(self) -> bool:
        """A memory is kept, unless M is 0."""
        return True

    @property
    def mem_len(self) -> int:
        """(M) rows of each layer's input that are kept after a segment. 0 keeps none."""
        return self._mem_len

    @mem_len.setter
    def mem_len(self, rows: int) -> None:
        if not isinstance(rows, int) or rows < 0:
            raise ValueError(f"mem_len is {rows!r}; it must be a whole number of at least 0")
        if rows and not self.has_memory:
            raise ValueError("this model was built without recurrence: mem_len must be 0")
        self._mem_len = rows

    def with_mem_len(self, rows: int) -> Self:
        """The same model (the same weights, not copied) with another M. For callers that share one model over threads."""
        twin = copy.copy(self)
        twin.mem_len = rows
        return twin

    def _updated(self, memory: Tensor, h: Tensor) -> Tensor:
        """The last M rows of the old memory followed by this segment's rows, oldest first."""
        rows = torch.cat([memory, h], dim=1)
        return rows[:, max(0, rows.shape[1] - self.mem_len) :]  # not rows[:, -M:], which keeps everything when M is 0

    def _checked(self, memory: Sequence[Tensor] | None, batch: int) -> Memory:
        """The memory to read: at most M rows, and of this model's shape, or ValueError."""
        config, weight = self.config, self.embedding.weight
        if memory is None:
            return tuple(weight.new_empty(batch, 0, config.d_model) for _ in range(config.n_layers))
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
