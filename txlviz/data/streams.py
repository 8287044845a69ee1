"""Batches for training: the corpus cut into contiguous streams, read segment by segment."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor


@dataclass(frozen=True)
class Streams:
    """``n_streams`` contiguous pieces of a token sequence, read side by side.

    Row b of one batch goes on where row b of the batch before ended; that is what makes a memory carried along meaningful.
    Each epoch moves all cuts by another offset, so that no token always stands at the same place of its segment.
    """

    ids: Tensor
    """(T,) the whole sequence."""
    n_streams: int
    """(B)"""
    segment_length: int
    """(L)"""
    seed: int
    stride: int = 0
    """Tokens from the start of one segment to that of the next, at most L; 0 stands for L. Below L, a segment begins with
    tokens of the one before."""

    def __post_init__(self) -> None:
        if not 0 <= self.stride <= self.segment_length:
            raise ValueError(f"the stride is {self.stride}; it must be at most the segment length, {self.segment_length}")
        if self.steps_per_epoch < 1:
            least = 2 * self.segment_length * self.n_streams
            raise ValueError(
                f"{len(self.ids):,} tokens are too few for {self.n_streams} streams: at least {least:,} are needed"
            )

    @property
    def steps_per_epoch(self) -> int:
        """Segments of one stream, the same number in every epoch."""
        per_stream = len(self.ids) // self.n_streams
        room = per_stream - self.segment_length  # for the largest offset
        return (room - self.segment_length) // (self.stride or self.segment_length) + 1

    def offset(self, epoch: int) -> int:
        """Where this epoch's first cut stands, 0 to L - 1."""
        generator = torch.Generator().manual_seed(self.seed * 100_003 + epoch)
        return int(torch.randint(self.segment_length, (), generator=generator))

    def batch(self, step: int, rows: slice = slice(None)) -> tuple[Tensor, Tensor]:
        """Inputs and targets (B, L) of one step, counted over all epochs; ``rows`` picks streams (one process's share)."""
        epoch, index = divmod(step, self.steps_per_epoch)
        per_stream = len(self.ids) // self.n_streams
        table = self.ids[: per_stream * self.n_streams].view(self.n_streams, per_stream)[rows]
        start = self.offset(epoch) + index * (self.stride or self.segment_length)
        piece = table[:, start : start + self.segment_length + 1]
        if piece.shape[1] == self.segment_length + 1:
            return piece[:, :-1], piece[:, 1:]
        raise IndexError(f"step {step} runs over the end of the streams")

    def starts_epoch(self, step: int) -> bool:
        """Whether the memory must be empty before this step."""
        return step % self.steps_per_epoch == 0


def segments(ids: Sequence[int] | Tensor, length: int) -> Iterator[Tensor]:
    """Cuts (T,) or (B, T) ids into segments of ``length`` along the last axis; the last may be shorter."""
    whole = torch.as_tensor(ids)
    yield from torch.split(whole, length, dim=-1)
