"""A recorder that only keeps what the ordinary path weighs."""

from __future__ import annotations

from torch import Tensor

from txlviz.models import Term


class KeptWeights:
    """Hand it to a forward pass; ``layers`` then holds the attention weights (B, H, L, K) of each layer that ran, in order."""

    def __init__(self) -> None:
        self.layers: list[Tensor] = []

    def attention_weights(
        self, layer: int, terms: dict[Term, Tensor] | None, scores: Tensor, ordinary: Tensor, visible: Tensor
    ) -> Tensor:
        """Keeps ``ordinary``, and lets the layer go on with it."""
        self.layers.append(ordinary)
        return ordinary
