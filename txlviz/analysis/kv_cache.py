"""Is the memory a cache of keys and values? The same text in other cuts, and with rows dropped (Dai et al. 2019, 3.2)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from txlviz.analysis.lengths import with_lengths
from txlviz.checkpoint import Checkpoint
from txlviz.data import segments as cut
from txlviz.models import LanguageModel, Memory, TransformerXL

Array = npt.NDArray[np.float32]


@dataclass(frozen=True)
class CutDifference:
    """One way to run the text, against all of it in one segment. Float32 rounds differently in other shapes: about 1e-5."""

    segment_length: int
    """(L)"""
    memory_length: int
    """(M)"""
    segments: int
    logits: Array
    """(T,) the largest difference of the V logits at each place."""
    losses: Array
    """(T - 1,) nats of each token, minus those of the run in one segment."""

    @property
    def largest(self) -> float:
        """The largest difference over all logits."""
        return float(self.logits.max())


@dataclass(frozen=True)
class CutComparison:
    """Several ways to run the first tokens of one text."""

    inputs: tuple[str, ...]
    """(T,) what the model read: a newline, then tokens."""
    left_out: int
    """Tokens of the text that come after them."""
    size: float
    """The largest logit, in size: what a difference is compared with."""
    cuts: tuple[CutDifference, ...]


@torch.inference_mode()
def compare_cuts(
    checkpoint: Checkpoint,
    text: str,
    cuts: Sequence[tuple[int, int]],
    *,
    limit: int | None = None,
    progress: Callable[[float], None] | None = None,
) -> CutComparison:
    """Runs the text once in one segment, and once for each (L, M) of ``cuts``.

    Args:
        limit: only so many tokens of the text, since one token a step takes as many steps.
        progress: is told the share of the cuts that is done, after each segment.

    Raises:
        ValueError: the text is empty, or the model has no memory.
    """
    inputs = checkpoint.inputs(text)
    if len(inputs) == 1:
        raise ValueError("the text is empty: there is nothing to cut")
    if not isinstance(checkpoint.model, TransformerXL):
        raise ValueError("the vanilla model has no memory: each cut of its text is another computation")
    used = inputs if limit is None else inputs[: limit + 1]
    stream = torch.tensor([used])
    logits, losses = _run(*_model(checkpoint, stream.shape[1], 0), stream)
    found = []
    for done, (L, M) in enumerate(cuts):
        tell = None if progress is None else _share(progress, done, len(cuts))
        others, other_losses = _run(*_model(checkpoint, L, M), stream, tell)
        difference = (others - logits).abs().amax(dim=1).numpy()
        found.append(CutDifference(L, M, -(-stream.shape[1] // L), difference, (other_losses - losses).numpy()))
    shown = tuple(checkpoint.tokenizer.show(used))
    return CutComparison(shown, len(inputs) - len(used), float(logits.abs().max()), tuple(found))


def _model(checkpoint: Checkpoint, L: int, M: int) -> tuple[LanguageModel, int]:
    model, length, _ = with_lengths(checkpoint.model, L, M)
    return model, length


def _share(progress: Callable[[float], None], done: int, count: int) -> Callable[[float], None]:
    return lambda part: progress((done + part) / count)


def _run(
    model: LanguageModel, L: int, stream: Tensor, progress: Callable[[float], None] | None = None
) -> tuple[Tensor, Tensor]:
    """Logits (T, V) and losses (T - 1,) of a text of one row, in segments of L."""
    memory: Memory = ()
    hidden: list[Tensor] = []
    for piece in cut(stream, L):
        out = model(piece, memory or None)
        memory = out.memory
        hidden.append(out.hidden)
        if progress:
            progress(sum(part.shape[1] for part in hidden) / stream.shape[1])
    states = torch.cat(hidden, dim=1)
    return model.logits(states)[0], model.token_losses(states[:, :-1], stream[:, 1:])[0]


@torch.inference_mode()
def cached_projections(checkpoint: Checkpoint, text: str, segment_length: int, *, limit: int | None = None) -> float:
    """The largest difference between keys and values that were kept, and those made anew of kept rows.

    In training each layer's input h is kept, and W_k h̃ and W_v h̃ are computed for memory and segment together; a cache keeps
    W_k h and W_v h of each segment as it was read. A projection works row by row, so the two differ by rounding only.
    """
    if not isinstance(checkpoint.model, TransformerXL):
        raise ValueError("the vanilla model has no memory: it keeps neither rows nor keys")
    inputs = checkpoint.inputs(text)
    stream = torch.tensor([inputs if limit is None else inputs[: limit + 1]])
    model = checkpoint.model.with_mem_len(stream.shape[1])
    memory: Memory = ()
    kept: list[list[Tensor]] = [[] for _ in model.blocks]
    for piece in cut(stream, segment_length):
        memory = model(piece, memory or None).memory
        for cache, block, rows in zip(kept, model.blocks, memory, strict=True):
            cache.append(block.attention.w_kv(rows[:, -piece.shape[1] :]))  # type: ignore[operator, union-attr]
    anew = [block.attention.w_kv(rows) for block, rows in zip(model.blocks, memory, strict=True)]  # type: ignore[operator, union-attr]
    return max(float((torch.cat(cache, dim=1) - made).abs().max()) for cache, made in zip(kept, anew, strict=True))
