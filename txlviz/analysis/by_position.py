"""Loss against the position in the segment, each token scored at every position: what being first in a segment costs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor
from tqdm import tqdm

from txlviz.analysis.lengths import with_lengths
from txlviz.analysis.spans import memory_span
from txlviz.models import LanguageModel, Memory

Losses = npt.NDArray[np.float32]


@dataclass(frozen=True)
class PositionCurve:
    """Loss by position, over the same tokens at every position."""

    mean: npt.NDArray[np.float64]
    """(position,) nats a token."""
    standard_error: npt.NDArray[np.float64]
    """(position,) of that mean, over the tokens."""
    tokens: int
    """Tokens behind each position's mean."""


def tokens_before_full(n_layers: int, segment_length: int, memory_length: int) -> int:
    """Targets to leave out, so that all memories are full of rows that were computed with full memories themselves.

    What stands further back than the memory span can't be felt; rounded up to whole segments.
    """
    span = int(memory_span(n_layers, segment_length, memory_length).max()) + 1
    return -(-span // segment_length) * segment_length


@torch.inference_mode()
def losses_by_position(
    model: LanguageModel,
    ids: Tensor,
    segment_length: int | None = None,
    memory_length: int | None = None,
    *,
    skip: int = 0,
    progress: bool = False,
) -> Losses:
    """Moves the cut through all L offsets, so that each token stands once at each position of a segment.

    The L offsets are rows of one batch, each beginning at its own token with an empty memory.

    Args:
        ids: (T,) at least skip + 3·L of them.
        segment_length: L; None takes the trained length.
        memory_length: M; None takes the model's own. The vanilla model has none.
        skip: targets to leave out at the start, for memories that fill up. The first L are always left out: not every offset
            has them.

    Returns:
        (token, position) nats. Row t is the token ``ids[skip + L + t]``; position p means that its prediction was made at
        place p of a segment, from 0.

    Raises:
        ValueError: there are too few ids, or a length doesn't fit the model.
    """
    model, L, _ = with_lengths(model, segment_length, memory_length)
    n_segments = (len(ids) - L) // L
    first, end = skip + L, n_segments * L + 1
    if end <= first:
        raise ValueError(f"{len(ids)} tokens are too few: at least {skip + 3 * L} are needed for segments of {L}")
    rows = torch.stack([ids[offset : offset + n_segments * L + 1] for offset in range(L)])
    found = np.full((end - first, L), np.nan, dtype=np.float32)
    memory: Memory = ()
    position = np.arange(L)
    for start in tqdm(range(0, n_segments * L, L), unit="segment", disable=not progress, leave=False):
        out = model(rows[:, start : start + L], memory or None)
        memory = out.memory
        if start + 2 * L <= first:
            continue
        losses = model.token_losses(out.hidden, rows[:, start + 1 : start + L + 1]).numpy()
        # Row `offset`, column p predicts token offset + start + p + 1 of ids.
        token = np.arange(L)[:, None] + start + position[None, :] + 1 - first
        inside = (token >= 0) & (token < end - first)
        found[token[inside], np.broadcast_to(position, token.shape)[inside]] = losses[inside]
    return found


def curve(losses: Losses) -> PositionCurve:
    """Mean and standard error at each position of (token, position) nats."""
    exact = losses.astype(np.float64)
    return PositionCurve(exact.mean(axis=0), exact.std(axis=0, ddof=1) / np.sqrt(len(exact)), len(exact))
