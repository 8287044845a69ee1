"""Every hidden state of a forward pass: the nodes of the dependency cone."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from txlviz.models import LanguageModel, Memory, TransformerXL
from txlviz.models.block import Block

Rows = list[Tensor]
"""N + 1 times (B, L, D): h^0, what the first layer reads (the embeddings, scaled; in the vanilla model with the positions
added), then the output h^n of each layer n."""


class HiddenStates:
    """A private copy of a model that hands out every hidden state. Others may run the model at the same time.

    The copy's weights take no gradient; its M may be set by ``with_lengths`` before.
    """

    def __init__(self, model: LanguageModel) -> None:
        self.model = copy.deepcopy(model).requires_grad_(False).eval()
        self._rows: Rows = []
        blocks = [module for module in self.model.modules() if isinstance(module, Block)]  # in the order of the layers
        blocks[0].register_forward_pre_hook(lambda _block, inputs: self._rows.append(inputs[0]))
        for block in blocks:
            block.register_forward_hook(lambda _block, _inputs, h: self._rows.append(h))

    def __call__(self, ids: Tensor, memory: Memory, **options: Any) -> tuple[Rows, Memory]:
        """One segment (B, L): its rows, and the memory after it (empty for the vanilla model)."""
        self._rows = []
        out = self.model(ids, memory or None, **options)
        return self._rows, out.memory

    def on_embedding(self, change: Callable[[Tensor], Tensor]) -> None:
        """What the embedding table gives (B, L, D), before it is scaled, goes through ``change`` from now on."""
        self.model.embedding.register_forward_hook(lambda _table, _inputs, rows: change(rows))


def memory_of(history: Rows, start: int, rows: int) -> Memory:
    """The memory that a segment at ``start`` reads: the ``rows`` (M) rows before it, of each layer's input in ``history``.

    ``history`` is N times (B, T, D), the inputs of layer 1 first.
    """
    return tuple(layer[:, max(0, start - rows) : start] for layer in history)


def read(states: HiddenStates, ids: Tensor, length: int, rows: int, *, start: int = 0, history: Rows | None = None) -> Rows:
    """The hidden states of ``ids`` (B, T) from the segment at ``start`` on, as N + 1 times (B, T - start, D).

    Args:
        length: L.
        rows: M; 0 for the vanilla model.
        history: the hidden states of all places before ``start``, as this function gave them.
    """
    memory: Memory = ()
    if start and isinstance(states.model, TransformerXL) and history is not None:
        memory = memory_of(history[:-1], start, rows)
    pieces: list[Rows] = []
    for piece in torch.split(ids[:, start:], length, dim=1):
        found, memory = states(piece, memory)
        pieces.append(found)
    return [torch.cat(layer, dim=1) for layer in zip(*pieces, strict=True)]


def length_of(vectors: Tensor) -> Tensor:
    """The Euclidean length of vectors (…, D), float64: zero where every component is zero, and nowhere else."""
    vectors = vectors.detach().double()
    largest = vectors.abs().amax(dim=-1, keepdim=True)  # so that no square underflows
    scale = torch.where(largest > 0, largest, 1.0)
    size: Tensor = torch.linalg.vector_norm(vectors / scale, dim=-1) * largest.squeeze(-1)
    return size
