"""One process or several: what ``torchrun`` tells each of them."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import torch
import torch.distributed as dist
from torch import Tensor


@dataclass(frozen=True)
class World:
    """This process among all that train one model."""

    rank: int = 0
    size: int = 1

    @property
    def is_main(self) -> bool:
        """Whether this process writes the files and the progress bar."""
        return self.rank == 0

    def share(self, n_streams: int) -> slice:
        """The rows of a batch that are this process's own; ValueError where they can't be shared out evenly."""
        if n_streams % self.size:
            raise ValueError(f"{n_streams} streams can't be shared evenly by {self.size} processes")
        per_process = n_streams // self.size
        return slice(self.rank * per_process, (self.rank + 1) * per_process)

    def mean(self, value: Tensor) -> Tensor:
        """The mean of a tensor over all processes."""
        if self.size > 1:
            value = value.clone()
            dist.all_reduce(value)
            value /= self.size
        return value

    def gather(self, value: Tensor) -> list[Tensor]:
        """The tensors of all processes, in order of rank. They must have the same shape."""
        if self.size == 1:
            return [value]
        parts = [torch.empty_like(value) for _ in range(self.size)]
        dist.all_gather(parts, value.contiguous())
        return parts

    def wait(self) -> None:
        """Returns when every process has come here."""
        if self.size > 1:
            dist.barrier()


@contextmanager
def joined_world() -> Iterator[World]:
    """Joins the group that ``torchrun`` describes (gloo: CPU), or stays alone."""
    if "WORLD_SIZE" not in os.environ:
        yield World()
        return
    dist.init_process_group("gloo")
    try:
        yield World(dist.get_rank(), dist.get_world_size())
    finally:
        dist.destroy_process_group()
