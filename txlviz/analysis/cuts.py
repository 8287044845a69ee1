"""The same text cut at other places: what each token costs when the segments begin elsewhere (context fragmentation)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from txlviz.analysis.lengths import with_lengths
from txlviz.checkpoint import Checkpoint
from txlviz.models import LanguageModel, Memory, Output, TransformerXL

Losses = npt.NDArray[np.float32]

_TOKENS_AT_ONCE = 1024  # windows are independent, so this changes the speed only


def segment_starts(n_inputs: int, segment_length: int, offset: int) -> list[int]:
    """Places where segments start when the first one holds ``offset`` inputs: 0, offset, offset + L, …

    Offset 0 is the ordinary cut, whose first segment is full. ValueError where the offset isn't from 0 to L - 1.
    """
    if not 0 <= offset < segment_length:
        raise ValueError(f"the offset is {offset}; it must be from 0 to {segment_length - 1}")
    return [0, *range(offset or segment_length, n_inputs, segment_length)]


@torch.inference_mode()
def losses_by_cut(
    checkpoint: Checkpoint,
    text: str,
    segment_length: int | None = None,
    memory_length: int | None = None,
    offsets: Sequence[int] | None = None,
) -> Losses:
    """Losses of ``text`` with the cut at each of ``offsets``; a newline is put before the text.

    Args:
        segment_length: L; None takes the trained length.
        memory_length: M; None takes the model's own. The vanilla model has none (None or 0).
        offsets: inputs in the first segment, 0 to L - 1, where 0 stands for a full one; None: all of them, in order.

    Returns:
        (offset, token) nats. Row 0 of all offsets holds what ``txlviz.trace`` calls losses.

    Raises:
        ValueError: the text is empty or can't be encoded, or a setting doesn't fit the model.
    """
    ids = checkpoint.encode(text)
    if not ids:
        raise ValueError("the text is empty: there is no token to score")
    model, L, _ = with_lengths(checkpoint.model, segment_length, memory_length)
    wanted = range(L) if offsets is None else offsets
    if not wanted:
        return np.empty((0, len(ids)), dtype=np.float32)
    # The newline is an input, the last token a target only.
    cuts = [segment_starts(len(ids), L, offset) for offset in wanted]
    stream = torch.tensor([checkpoint.tokenizer.newline, *ids])
    if not isinstance(model, TransformerXL):
        return _from_windows(model, stream, L, cuts)
    # Without memory no place knows where its segment ends: first segments are the beginnings of the longest of them, unless
    # M is the window as well.
    ends = [cut[1] if len(cut) > 1 else len(ids) for cut in cuts]
    if model.config.same_length:
        firsts = [model(stream[None, :end]) for end in ends]
    else:
        firsts = [model.with_mem_len(max(ends))(stream[None, : max(ends)])] * len(cuts)
    return np.stack([_recurrent(model, stream, cut, first) for cut, first in zip(cuts, firsts, strict=True)])


def _recurrent(model: TransformerXL, stream: Tensor, starts: Sequence[int], first: Output) -> Losses:
    """One cut: segment after segment, the memory carried along; ``first`` holds at least the first segment and its rows.

    Cuts aren't batched: until memories are full, each offset has another number of rows in them.
    """
    n = len(stream) - 1
    end = starts[1] if len(starts) > 1 else n
    dropped = first.hidden.shape[1] - first.memory[0].shape[1]  # rows that the first memory doesn't hold
    kept = slice(max(0, end - model.mem_len) - dropped, end - dropped) if model.mem_len else slice(0)
    memory: Memory = tuple(rows[:, kept] for rows in first.memory)
    hidden = [first.hidden[:, :end]]
    for start, stop in zip(starts[1:], [*starts[2:], n], strict=False):
        out = model(stream[None, start:stop], memory)
        memory = out.memory
        hidden.append(out.hidden)
    return model.token_losses(torch.cat(hidden, dim=1), stream[None, 1:])[0].numpy()


def _from_windows(model: LanguageModel, stream: Tensor, L: int, cuts: Sequence[Sequence[int]]) -> Losses:
    """Segments of a model without memory are windows that know nothing of each other: each is run once, whoever needs it.

    A shorter segment is the beginning of a full one, since no place sees those after it; so windows may run past a segment's
    end, and past the text's (there the last token fills them up).
    """
    n = len(stream) - 1
    starts = sorted({start for cut in cuts for start in cut})
    width = min(L, n)
    padded = torch.cat([stream, stream[-1:].expand(width)])
    windows = padded.unfold(0, width + 1, 1)
    at_once = max(1, _TOKENS_AT_ONCE // width)
    losses_from: dict[int, Losses] = {}
    for piece in (starts[first : first + at_once] for first in range(0, len(starts), at_once)):
        needed = windows[piece, : min(width, n - piece[0]) + 1]  # near the end of the text less is left
        rows = model.token_losses(model(needed[:, :-1]).hidden, needed[:, 1:]).numpy()
        losses_from.update(zip(piece, rows, strict=True))
    found = np.empty((len(cuts), n), dtype=np.float32)
    for losses, cut in zip(found, cuts, strict=True):
        for start, end in zip(cut, [*cut[1:], n], strict=True):
            losses[start:end] = losses_from[start][: end - start]
    return found
