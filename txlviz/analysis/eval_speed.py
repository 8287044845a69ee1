"""What evaluation costs by the clock: time for one scored token, in turn by both models, at one attention length.

The Transformer-XL reads a segment of L = 64 new tokens from its cache of M = A projected keys and values, and scores all of
them. The vanilla model scores one token for each window of A tokens, which it reads anew (Dai et al. 2019, section 4.5), and
does so at its best: the fused causal kernel, positions made beforehand, and no row that isn't read: the top layer computes keys
and values of all rows, but its query, feed-forward layer and vocabulary scores for the last place only.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Generator, Iterator
from dataclasses import dataclass
from typing import Protocol

import torch
import torch.nn.functional as F
from torch import Tensor

from txlviz.analysis.sliding_window import last_row
from txlviz.checkpoint import Checkpoint
from txlviz.models import KeyValueCache, TransformerXL, VanillaTransformer
from txlviz.models.block import Block
from txlviz.models.positions import sinusoids

LENGTHS = (64, 128, 256, 512, 800, 1024, 1800, 2800, 3800)
SEGMENT_LENGTH = 64
_SEGMENTS_A_ROUND = 5  # a segment takes far less time than a window, so that one alone is at the mercy of other programs

PAPER = {800: 363, 1800: 773, 2800: 1409, 3800: 1874}
"""Attention length to speed-up, as printed (Dai et al. 2019, Table 9)."""


@dataclass(frozen=True)
class SpeedPoint:
    """One attention length, both models; medians over the rounds."""

    attention_length: int
    rounds: int
    xl_seconds: float
    """A scored token of the Transformer-XL, by the clock."""
    vanilla_seconds: float
    """A scored token of the vanilla model, by the clock."""
    xl_processor_seconds: float
    """The same by the processor: what other programs took on a busy machine isn't in it."""
    vanilla_processor_seconds: float


def steps(
    xl: Checkpoint, vanilla: Checkpoint, attention_length: int, rounds: int, *, segment_length: int = SEGMENT_LENGTH
) -> Iterator[SpeedPoint | None]:
    """Measures in small pieces, so that whoever asks may stop between them: None after each piece, at last the point.

    The clock runs within pieces only. The two models take turns, so that what else the machine does meets both; a first round
    isn't counted. Values don't matter to the clock: the memory holds random rows, the tokens are random.

    Raises:
        ValueError: a length or the number of rounds isn't at least 1, or the models aren't one of each kind.
    """
    if rounds < 1:
        raise ValueError(f"{rounds} rounds were asked for; there must be at least 1")
    timed: dict[str, list[tuple[float, float]]] = {"xl": [], "vanilla": []}
    both = readers(xl, vanilla, attention_length, segment_length)
    for n in range(rounds + 1):
        for name, reader in both.items():
            for _ in range(_SEGMENTS_A_ROUND if name == "xl" else 1):
                found = yield from _timed(reader)
                if n > 0:
                    timed[name].append(found)
    walls = {name: statistics.median(wall for wall, _ in found) for name, found in timed.items()}
    processors = {name: statistics.median(cpu for _, cpu in found) for name, found in timed.items()}
    yield SpeedPoint(attention_length, rounds, walls["xl"], walls["vanilla"], processors["xl"], processors["vanilla"])


def _timed(reader: Reader) -> Generator[None, None, tuple[float, float]]:
    """Reads once; returns the seconds a scored token by the clock and by the processor."""
    wall = processor = 0.0
    pieces = reader.read()
    more = True
    while more:
        with torch.inference_mode():
            before, cpu = time.perf_counter(), time.thread_time()
            more = next(pieces, "end") is None
            wall, processor = wall + time.perf_counter() - before, processor + time.thread_time() - cpu
        yield None
    return wall / reader.tokens, processor / reader.tokens


def measure(
    xl: Checkpoint, vanilla: Checkpoint, attention_length: int, rounds: int, *, segment_length: int = SEGMENT_LENGTH
) -> SpeedPoint:
    """The point of ``steps``, without stops."""
    *_, point = steps(xl, vanilla, attention_length, rounds, segment_length=segment_length)
    assert point is not None
    return point


class Reader(Protocol):
    """One model, ready to read the same again and again."""

    tokens: int
    """Scored by one ``read``."""

    def read(self) -> Iterator[None]:
        """Reads and scores, a piece at a time. To be asked in inference mode."""


def readers(xl: Checkpoint, vanilla: Checkpoint, attention_length: int, segment_length: int) -> dict[str, Reader]:
    """``xl`` and ``vanilla`` at one attention length."""
    if min(attention_length, segment_length) < 1:
        raise ValueError("the attention length and the segment length must be at least 1")
    if not isinstance(xl.model, TransformerXL) or not isinstance(vanilla.model, VanillaTransformer):
        raise ValueError("the first model must be a Transformer-XL, the second a vanilla one")
    with torch.inference_mode():
        return {
            "xl": _Segment(xl.model, attention_length, segment_length),
            "vanilla": _Window(vanilla.model, attention_length),
        }


class _Segment:
    """The Transformer-XL with full memory."""

    def __init__(self, model: TransformerXL, M: int, L: int) -> None:
        self.model, self.tokens = model.with_mem_len(M), L
        generator = torch.Generator().manual_seed(0)
        rows = tuple(torch.randn(1, M, model.config.d_model, generator=generator) for _ in model.blocks)
        self.cache = KeyValueCache(self.model, rows, at_most=L)
        self.ids = torch.randint(model.config.vocab_size, (1, L + 1), generator=generator)

    def read(self) -> Iterator[None]:
        """One segment: short enough for one piece."""
        self.loss = self.model.token_losses(self.cache.step(self.ids[:, :-1]), self.ids[:, 1:])
        yield None


class _Window:
    """The vanilla model: ``sliding_window.last_hidden`` with positions made beforehand, a layer at a time."""

    def __init__(self, model: VanillaTransformer, W: int) -> None:
        self.model, self.tokens = model, 1
        self.ids = torch.randint(model.config.vocab_size, (1, W + 1), generator=torch.Generator().manual_seed(0))
        self.U = sinusoids(torch.arange(W), model.config.d_model, model.embedding.weight.dtype)

    def read(self) -> Iterator[None]:
        """One window, a piece a layer."""
        h: Tensor = self.model.embed(self.ids[:, :-1]) + self.U
        *lower, top = self.model.blocks
        for block in lower:
            h = block(h)
            yield None
        assert isinstance(top, Block)
        self.loss = F.cross_entropy(self.model.logits(last_row(top, h)[:, 0]), self.ids[:, -1])
        yield None
