"""The losses that the study is made of, each kept in a file as it ends: a run that was stopped goes on where it stood."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from txlviz.analysis.evaluate import stream_losses
from txlviz.analysis.sliding_window import sliding_losses
from txlviz.checkpoint import Checkpoint
from txlviz.data.corpus import SplitName
from txlviz.models import VanillaTransformer

Losses = npt.NDArray[np.float32]

PIECE = 8192  # tokens of one file where a reading takes minutes


@dataclass(frozen=True)
class Reading:
    """One way to read a split."""

    kind: str
    """``xl`` or ``vanilla``"""
    split: SplitName
    memory_length: int = 0
    """(M)"""
    best: bool = False
    """The vanilla model with stride 1, not in segments."""

    @property
    def name(self) -> str:
        """Of its files."""
        how = f"M{self.memory_length}" if self.kind == "xl" else "best" if self.best else "segments"
        return f"{self.split}-{self.kind}-{how}"


def losses(source: Checkpoint, reading: Reading, text: str, folder: Path, done: Callable[[int], object]) -> Losses:
    """(T,) nats of all tokens of the split, in order, as one stream after a newline.

    Args:
        folder: where the losses are kept. They aren't text, but they belong to one: nothing of it is published.
        done: is told how many tokens were scored since it was told last.
    """
    ids = torch.tensor(source.inputs(text))
    parts = []
    for first, end in _pieces(len(ids), reading):
        path = folder / f"{source.weights_hash[:12]}-{reading.name}-{first}-{end}.npy"
        if not path.exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            beside = path.with_suffix(".part")
            with beside.open("wb") as file:
                np.save(file, _score(source, reading, ids, first, end).numpy())
            beside.replace(path)
        parts.append(np.load(path, allow_pickle=False))
        done(end - first)
    return np.concatenate(parts)


def _score(source: Checkpoint, reading: Reading, ids: Tensor, first: int, end: int) -> Tensor:
    model, L = source.model, source.config.segment_length
    if isinstance(model, VanillaTransformer):
        return sliding_losses(model, ids, first, end) if reading.best else stream_losses(model, ids, L)
    return stream_losses(model, ids, L, reading.memory_length)


def _pieces(n_ids: int, reading: Reading) -> Iterator[tuple[int, int]]:
    """(first, end) places of the targets, 1 to n_ids - 1."""
    step = PIECE if reading.best else n_ids
    for first in range(1, n_ids, step):
        yield first, min(first + step, n_ids)
