"""Replace every token by itself, and see what each changes at one place: which matter, and that none does outside the span."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from txlviz.analysis.hidden import HiddenStates, Rows, memory_of
from txlviz.analysis.lengths import with_lengths
from txlviz.analysis.replaced import Array, check, neutral, relative
from txlviz.checkpoint import Checkpoint
from txlviz.models import LanguageModel, Memory

_TOKENS_AT_ONCE = 512  # of a batch in one segment: a twentieth of a second, and bounded memory
_MOST_ROWS = 32
_HELD = 2**24  # numbers of the unreplaced run's hidden states, all rows of the batch (64 MB in float32)
_FIRST_RUN = 0.25  # its share of the work, about


@dataclass(frozen=True)
class ChangeByToken:
    """What each of many replaced tokens, one at a time, changes at one place."""

    size: Array
    """(N, R) for the outputs of the layers, the first layer first; 0 only where every bit is equal. As in ``Changes``."""
    places: tuple[int, ...]
    """(R,) of the replaced tokens."""
    place: int
    """Where the change is measured."""
    replacements: tuple[str, str]
    """What was put there; the second where the first stood there already."""


@torch.inference_mode()
def change_by_token(
    checkpoint: Checkpoint,
    text: str,
    segment_length: int | None = None,
    memory_length: int | None = None,
    *,
    place: int,
    replaced: Sequence[int] | None = None,
    progress: Callable[[float], None] | None = None,
    workers: int = 1,
) -> ChangeByToken:
    """The change at ``place``, after each layer, for each replaced token by itself.

    The runs are batched: one row of a batch has one token replaced, and the batch starts in the segment of its first replaced
    token, from the memories of the unreplaced run. That run has the same rows and shapes.

    Args:
        place: where the change is measured, in the model's inputs; what comes after it is not read.
        replaced: places to replace, each at most ``place``; None: all of them.
        progress: told the finished share, 0 to 1; it may raise, to end the work.
        workers: batches that run side by side; they change the speed only.

    The other arguments, and what is raised, are those of ``replaced.changes``.
    """
    model, L, M = with_lengths(checkpoint.model, segment_length, memory_length)
    ids = checkpoint.inputs(text)
    check(place, len(ids))
    ids = ids[: place + 1]
    places = sorted(set(range(len(ids)) if replaced is None else replaced))
    for one in places:
        check(one, len(ids))
    rows = _rows(len(ids), len(places), L, model.config.n_layers * model.config.d_model)
    stream = torch.tensor([ids]).expand(rows, -1)
    before = _unreplaced(model, stream, L, lambda share: _tell(progress, _FIRST_RUN * share))

    groups = [places[at : at + rows] for at in range(0, len(places), rows)]
    work = np.cumsum([len(ids) - group[0] // L * L for group in groups])
    one, other = neutral(checkpoint)

    def run(group: list[int]) -> Array:
        batch = stream.clone()
        for row, at in enumerate(group):
            batch[row, at] = other if ids[at] == one else one
        return _run(HiddenStates(model), batch, group, before, L, M)[:, : len(group)]

    columns: list[Array] = []
    with ThreadPoolExecutor(workers) as pool:
        try:
            for g, column in enumerate(pool.map(run, groups)):
                columns.append(column)
                _tell(progress, _FIRST_RUN + (1 - _FIRST_RUN) * float(work[g] / work[-1]))
        except BaseException:  # what progress raises: to stop a script, frameworks raise more than Exception
            pool.shutdown(cancel_futures=True)
            raise
    size = np.concatenate(columns, axis=1)
    shown = (checkpoint.tokenizer.show([one])[0], checkpoint.tokenizer.show([other])[0])
    return ChangeByToken(size, tuple(places), place, shown)


def evenly(first: int, last: int, most: int) -> tuple[int, ...]:
    """At most ``most`` places from ``first`` to ``last``, both among them, evenly spread."""
    count = min(most, last - first + 1)
    return tuple(sorted({round(place) for place in np.linspace(first, last, count)}))


def _unreplaced(model: LanguageModel, stream: Tensor, L: int, tell: Callable[[float], None]) -> Rows:
    """The hidden states of the text as it is, N + 1 times (B, T, D). ``tell`` may end the work between segments."""
    states = HiddenStates(model)
    memory: Memory = ()
    found: list[Rows] = []
    for n, piece in enumerate(torch.split(stream, L, dim=1)):
        rows, memory = states(piece, memory)
        found.append(rows)
        tell(n * L / stream.shape[1])
    return [torch.cat(layer, dim=1) for layer in zip(*found, strict=True)]


@torch.inference_mode()  # which holds for one thread only
def _run(states: HiddenStates, batch: Tensor, group: list[int], before: Rows, L: int, M: int) -> Array:
    """(N, B) the change of the last place's hidden states, against ``before``, of texts with replaced tokens in the batch."""
    first = group[0] // L * L
    memory = memory_of(before[:-1], first, M) if M else ()
    for start in range(first, batch.shape[1], L):
        if start > group[-1] and (M == 0 or _equal(memory, memory_of(before[:-1], start, M))):
            return np.zeros((len(before) - 1, len(batch)))  # what follows would be computed from the same numbers
        found, memory = states(batch[:, start : start + L], memory)
    return np.stack([relative(old[:, -1], new[:, -1]).numpy() for old, new in zip(before[1:], found[1:], strict=True)])


def _rows(total: int, replaced: int, length: int, width: int) -> int:
    """(B) how many texts are read side by side."""
    at_once = min(_MOST_ROWS, _TOKENS_AT_ONCE // min(length, total))
    return max(1, min(replaced, at_once, _HELD // (total * width)))


def _equal(one: Memory, other: Memory) -> bool:
    return all(torch.equal(a, b) for a, b in zip(one, other, strict=True))


def _tell(progress: Callable[[float], None] | None, share: float) -> None:
    if progress is not None:
        progress(min(1.0, share))
