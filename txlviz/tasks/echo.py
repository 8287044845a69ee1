"""The echo task: a stream whose every token is the one D tokens earlier, but for some noise.

What makes it a test of memory: nothing but the source helps. So a model is right about as often as the noise lets it be where
it can see the source, and no better than chance where it can't.

Places. At *input* position p of a segment (0 to L-1) a model reads token t and predicts token t + 1, whose source is token
t + 1 - D: D - 1 tokens back from the input. One look, one attention layer over memory and segment, reaches p + M tokens back.
So the source is in sight exactly where p + M >= D - 1.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor


@dataclass(frozen=True)
class EchoTask:
    """What a stream is made by."""

    delay: int
    """(D) tokens from a token back to its source."""
    noise: float = 0.1
    """The chance that a token is drawn anew, uniformly, instead of copied. The draw may hit the source's symbol again."""
    vocab: int = 16
    """(V) symbols, numbered from 0."""

    def __post_init__(self) -> None:
        for name, least in (("delay", 1), ("vocab", 2)):
            value = getattr(self, name)
            if not isinstance(value, int) or isinstance(value, bool) or value < least:
                raise ValueError(f"{name} is {value!r}; it must be a whole number of at least {least}")
        if not 0.0 <= self.noise <= 1.0:
            raise ValueError(f"noise is {self.noise!r}; it must be from 0 to 1")

    @property
    def best(self) -> float:
        """The best possible accuracy: to name the source is right unless the token was drawn anew and came out different."""
        return 1.0 - self.noise + self.noise / self.vocab

    @property
    def chance(self) -> float:
        """The accuracy of a guess without the source."""
        return 1.0 / self.vocab


class EchoStreams:
    """B streams side by side that go on for ever, ``take`` by ``take``. The same seed gives the same symbols."""

    def __init__(self, task: EchoTask, n_streams: int, seed: int) -> None:
        if n_streams < 1:
            raise ValueError(f"n_streams is {n_streams!r}; it must be at least 1")
        self.task = task
        self._random = torch.Generator().manual_seed(seed)
        self._last = self._drawn(n_streams, task.delay)  # the last D tokens; the first D of all have no source

    def take(self, length: int) -> Tensor:
        """(B, length) the next symbols. The first D of all are drawn uniformly."""
        delay = self.task.delay
        pieces, missing = [], length
        while missing > 0:
            pieces.append(self._last[:, :missing])
            used = pieces[-1].shape[1]
            missing -= used
            source = self._last[:, :used]
            anew = torch.rand(source.shape, generator=self._random) < self.task.noise
            following = torch.where(anew, self._drawn(*source.shape), source)
            self._last = torch.cat([self._last, following], dim=1)[:, -delay:]
        return torch.cat(pieces, dim=1)

    def _drawn(self, n_streams: int, length: int) -> Tensor:
        return torch.randint(self.task.vocab, (n_streams, length), generator=self._random)


def stream(task: EchoTask, n_streams: int, length: int, seed: int) -> Tensor:
    """(n_streams, length) token ids of the task, int64. ValueError for fewer than one stream or a negative length."""
    if length < 0:
        raise ValueError(f"length is {length!r}; it must be at least 0")
    return EchoStreams(task, n_streams, seed).take(length) if length else torch.empty(n_streams, 0, dtype=torch.long)


def in_sight(delay: int, segment_length: int, memory_length: int) -> NDArray[np.bool_]:
    """(L) whether one look from input position p reaches the source: p + M >= D - 1."""
    return np.arange(segment_length) + memory_length >= delay - 1
