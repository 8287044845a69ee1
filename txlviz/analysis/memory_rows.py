"""Which rows stand in each layer's memory at each step of a text, and where they come from (Dai et al. 2019, section 3.2)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import torch

from txlviz.analysis.hidden import HiddenStates
from txlviz.analysis.lengths import with_lengths
from txlviz.checkpoint import Checkpoint
from txlviz.data import segments as cut
from txlviz.models import Memory, TransformerXL
from txlviz.models.attention import visible_keys

Places = npt.NDArray[np.int64]


@dataclass(frozen=True)
class MemoryStep:
    """One segment: it reads the places ``first_read`` to ``start`` from memory, and leaves ``first_kept`` to ``stop`` there.

    Places count in what the model reads: 0 is the newline before the text. All layers remember the same places; they differ in
    what the rows are: memory n (from 0) holds what layer n reads, which is the output of layer n - 1, or the embeddings.
    """

    start: int
    stop: int
    """The place after the segment's last one."""
    first_read: int
    first_kept: int

    @property
    def rows_read(self) -> int:
        """(M') rows in each layer's memory while this segment runs."""
        return self.start - self.first_read

    @property
    def rows_kept(self) -> int:
        """(M') rows in each layer's memory after it."""
        return self.stop - self.first_kept

    @property
    def dropped(self) -> int:
        """Rows of each layer's old memory that don't stand in the new one."""
        return min(self.first_kept, self.start) - self.first_read

    @property
    def added(self) -> int:
        """Rows of this segment that stand in the new memory; fewer than L where M < L."""
        return self.stop - max(self.first_kept, self.start)


@dataclass(frozen=True)
class MemoryRows:
    """The memory of one text, step by step."""

    inputs: tuple[str, ...]
    """(T,) what the model reads, as people read it: a newline, then the tokens."""
    steps: tuple[MemoryStep, ...]
    earliest: Places
    """(N, T) for the row of each place in each layer's memory: the earliest place whose input went into it."""
    d_model: int
    rows_checked: int
    """Rows of ``Output.memory`` over all steps and layers that were compared with what the layers had read at their places."""
    rows_equal: int
    """Those of them that are equal, bit for bit."""

    @property
    def n_layers(self) -> int:
        """(N)"""
        return len(self.earliest)

    def bytes_held(self, rows: int) -> int:
        """Bytes of N memories of M' rows of D float32 numbers."""
        return self.n_layers * rows * self.d_model * 4


@torch.inference_mode()
def memory_rows(
    checkpoint: Checkpoint, text: str, segment_length: int | None = None, memory_length: int | None = None
) -> MemoryRows:
    """Runs ``text``, and finds each row of each ``Output.memory`` among the states that the layers read in that run.

    Args:
        segment_length: L, at least 1; None takes the trained length.
        memory_length: M, at least 0; None takes the model's own.

    Raises:
        ValueError: the model has no memory, the text is empty or can't be encoded, or a length doesn't fit.
    """
    inputs = checkpoint.inputs(text)
    if len(inputs) == 1:
        raise ValueError("the text is empty: there is no token to remember")
    model, L, M = with_lengths(checkpoint.model, segment_length, memory_length)
    if not isinstance(model, TransformerXL):
        raise ValueError("the vanilla model has no memory: there are no rows to look at")
    stream = torch.tensor([inputs])
    read = torch.empty(model.config.n_layers, stream.shape[1], model.config.d_model)  # what each layer reads at each place
    steps: list[MemoryStep] = []
    start, checked, equal = 0, 0, 0
    memory: Memory = ()
    run = HiddenStates(model)
    for piece in cut(stream, L):
        stop, first_read = start + piece.shape[1], start - (memory[0].shape[1] if memory else 0)
        states, memory = run(piece, memory)
        step = MemoryStep(start, stop, first_read, stop - memory[0].shape[1])
        for noted, state, rows in zip(read, states, memory, strict=False):  # there is one state more: the top layer's output
            noted[start:stop] = state[0]
            same = (rows[0] == noted[step.first_kept : stop]).all(dim=1)
            checked, equal = checked + len(same), equal + int(same.sum())
        steps.append(step)
        start = stop
    earliest = _earliest(steps, model.config.n_layers, M if model.config.same_length else None)
    shown = tuple(checkpoint.tokenizer.show(inputs))
    return MemoryRows(shown, tuple(steps), earliest, model.config.d_model, checked, equal)


def _earliest(steps: list[MemoryStep], n_layers: int, longest: int | None) -> Places:
    """(N, T) by reachability over the masks of the run: a layer's output goes as far back as the furthest row it sees."""
    furthest = np.arange(steps[-1].stop)
    found = [furthest]  # the first layer reads embeddings: each knows its own token only
    for _ in range(n_layers - 1):
        above = furthest.copy()
        for step in steps:
            visible = visible_keys(step.stop - step.start, step.stop - step.first_read, longest).numpy()
            keys = furthest[step.first_read : step.stop]
            above[step.start : step.stop] = np.where(visible, keys, len(above)).min(axis=1)
        furthest = above
        found.append(furthest)
    return np.stack(found)
