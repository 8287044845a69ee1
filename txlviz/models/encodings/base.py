"""What a position system may do, and the one that does nothing.

Shape letters: B batch, L queries, K keys, H heads, E width of a head, D width of the model. Query i of L stands at place
K - L + i among the K keys, so the distance from query i to key j is (K - L + i) - j.
"""

from __future__ import annotations

from typing import ClassVar

from torch import Tensor, nn

from txlviz.models.attention import Term
from txlviz.models.system_config import SystemConfig


class PositionSystem(nn.Module):
    """No positions at all: a causal mask is the only thing that tells one place from another.

    Other systems override the hooks that they use. One instance a layer.
    """

    adds_values: ClassVar[bool] = False
    """Whether ``values`` adds something; then the attention weights have to be formed."""

    def __init__(self, config: SystemConfig, layer: int) -> None:
        """``layer`` counts from 0; what is added to the embeddings belongs to the first."""
        super().__init__()

    def at_input(self, n: int) -> Tensor | None:
        """(n, D) what is added to the embeddings of a segment of n tokens."""
        return None

    def rotated(self, q: Tensor, k: Tensor) -> tuple[Tensor, Tensor]:
        """The queries (B, H, L, E) and keys (B, H, K, E) whose product is the score of contents."""
        return q, k

    def bias(self, q: Tensor, k: Tensor, scale: float) -> Tensor | None:
        """(B or 1, H, L, K) what is added to the scaled scores. Keys in the future may hold anything but NaN."""
        return None

    def values(self, weights: Tensor) -> Tensor | None:
        """(B, H, L, E) what is added to weights @ V, from the weights (B, H, L, K)."""
        return None

    def part(self, q: Tensor, k: Tensor, scale: float) -> Tensor | None:
        """(B or 1, H, L, K) the part of the scaled scores that positions bring in: here all of the bias."""
        return self.bias(q, k, scale)

    def terms(self, q: Tensor, k: Tensor) -> dict[Term, Tensor] | None:
        """The four terms (B, H, L, K) of the score before the scale, for systems whose scores split so."""
        return None
