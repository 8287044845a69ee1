"""The memory that a training step reads: drawn anew in each step, so that the model learns every state that it will be in.

A run that always carries a full memory of one length never sees a text begin, and never a longer memory. So, in every step,

- each stream begins a new text with a small chance: what it remembers is hidden from then on, while the others go on;
- M, the rows that are read, is drawn from a few lengths, of which 0 is one.

The vanilla model has nothing to draw: each of its segments begins anew.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

import torch
from torch import Tensor

from txlviz.models import Memory


@dataclass(frozen=True)
class MemoryDraws:
    """What is drawn in a step. The draws depend on the seed and the step alone, so that a resumed run draws the same."""

    lengths: tuple[int, ...]
    """(M) rows that a step may read."""
    shares: tuple[float, ...]
    """How often each of them is drawn; they add up to 1."""
    restart: float = 0.0
    """The chance that a stream begins a new text with this step."""

    def __post_init__(self) -> None:
        if len(self.lengths) != len(self.shares) or not self.lengths or min(self.lengths) < 0:
            raise ValueError(f"expected a share for each length of at least 0, got {self.lengths} and {self.shares}")
        if min(self.shares) < 0 or abs(sum(self.shares) - 1.0) > 1e-9 or not 0.0 <= self.restart <= 1.0:
            raise ValueError(f"expected shares that add up to 1 and a chance from 0 to 1, got {self.shares}, {self.restart}")

    @property
    def longest(self) -> int:
        """The most rows that any step reads."""
        return max(self.lengths)

    def draw(self, seed: int, step: int, n_streams: int) -> tuple[int, Tensor]:
        """M of this step, and (B,) bool: the streams that begin a new text."""
        generator = torch.Generator().manual_seed(seed * 1_000_003 + step)
        index = int(torch.multinomial(torch.tensor(self.shares, dtype=torch.float64), 1, generator=generator))
        return self.lengths[index], torch.rand(n_streams, generator=generator) < self.restart


class StreamMemory:
    """The newest rows of every layer, kept segment by segment, and how many of them are of each stream's own text."""

    def __init__(self, n_streams: int, longest: int, segment_length: int) -> None:
        self._longest, self._length = longest, segment_length
        self._segments: deque[Memory] = deque(maxlen=-(-longest // segment_length) or 1)
        self._own = torch.zeros(n_streams, dtype=torch.long)

    def clear(self) -> None:
        """Every stream begins a new text."""
        self._segments.clear()
        self._own.zero_()

    def begin(self, streams: Tensor) -> None:
        """The streams where ``streams`` (B,) is True begin a new text."""
        self._own[streams] = 0

    def read(self, rows: int) -> tuple[Memory | None, Tensor | None]:
        """The newest ``rows`` of every layer, and (B,) how many of them are of the stream's own text.

        None for the rows where there are none, and None for the counts where all are the stream's own.
        """
        wanted = -(-rows // self._length)
        newest = list(self._segments)[max(0, len(self._segments) - wanted) :]
        if not rows or not newest:
            return None, None
        joined = tuple(torch.cat(layer, dim=1)[:, -rows:] for layer in zip(*newest, strict=True))
        return joined, None if bool((self._own >= joined[0].shape[1]).all()) else self._own

    def keep(self, memory: Memory) -> None:
        """Takes in a segment: the last L rows of what the model returned."""
        self._segments.append(tuple(layer[:, -self._length :] for layer in memory))
        self._own = (self._own + self._length).clamp(max=self._longest)

    def state(self) -> tuple[list[Tensor], Tensor]:
        """All rows of every layer, and the counts: what a resumed run needs."""
        rows = [torch.cat(layer, dim=1) for layer in zip(*self._segments, strict=True)]
        return rows, self._own

    def restore(self, rows: list[Tensor], own: Tensor) -> None:
        """Goes back to what ``state`` returned."""
        self.clear()
        split = [torch.split(layer, self._length, dim=1) for layer in rows]
        self._segments.extend(zip(*split, strict=True))
        self._own = own.clone()
