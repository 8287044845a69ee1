"""The runs behind ``distant_context``: texts whose distant tokens are changed, in pieces that take a moment each."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Literal

import numpy as np
import numpy.typing as npt
import torch

from txlviz.analysis.lengths import with_lengths
from txlviz.checkpoint import Checkpoint
from txlviz.models import LanguageModel, Memory

Losses = npt.NDArray[np.float32]
Ids = npt.NDArray[np.int64]
Way = Literal["shuffled", "replaced", "dropped"]
WAYS: tuple[Way, ...] = ("replaced", "shuffled", "dropped")
SEED = 0

_ROWS_AT_ONCE = 2048  # memory and segment rows of one forward pass: about a tenth of a second
_MOST_TEXTS = 64


@torch.inference_mode()
def original_losses(
    checkpoint: Checkpoint, text: str, segment_length: int | None, memory_length: int | None, *, targets: tuple[int, ...]
) -> Losses:
    """(T,) nats of the targets with the text as it is."""
    model, L, _ = with_lengths(checkpoint.model, segment_length, memory_length)
    ids = _inputs(checkpoint, text)
    _check("shuffled", targets, (1,), len(ids))
    return _losses(model, [ids[: max(targets)]], [0], L, ids, [(0, t) for t in targets])


def pieces(
    checkpoint: Checkpoint,
    text: str,
    segment_length: int | None,
    memory_length: int | None,
    *,
    way: Way,
    targets: tuple[int, ...],
    distances: tuple[int, ...],
) -> list[tuple[int, ...]]:
    """The work of ``distant_context`` in pieces of about a tenth of a second: bounds b = t - d that are run side by side."""
    _, L, M = with_lengths(checkpoint.model, segment_length, memory_length)
    _check(way, targets, distances, len(_inputs(checkpoint, text)))
    recurrent = M > 0
    by_head: dict[int, list[int]] = {}  # those whose first segments are equally long
    for b in sorted(_cells(targets, distances, L, recurrent)):
        by_head.setdefault(_start(b, way, L, recurrent) % L, []).append(b)
    reach = max(targets) if recurrent else L
    rows = min(_MOST_TEXTS, max(1, _ROWS_AT_ONCE // (math.ceil(reach / L) * (min(reach, L) + min(M, reach)))))
    return [tuple(bounds[at : at + rows]) for bounds in by_head.values() for at in range(0, len(bounds), rows)]


@torch.inference_mode()
def piece_losses(
    checkpoint: Checkpoint,
    text: str,
    segment_length: int | None,
    memory_length: int | None,
    *,
    way: Way,
    targets: tuple[int, ...],
    distances: tuple[int, ...],
    bounds: tuple[int, ...],
    other: str = "",
    seed: int = SEED,
    tick: Callable[[], object] | None = None,
) -> Losses:
    """(D, T) nats where t - d is among ``bounds`` (one of ``pieces``), and NaN elsewhere.

    ``tick`` is called after each segment; what it raises ends the work.
    """
    model, L, M = with_lengths(checkpoint.model, segment_length, memory_length)
    ids = _inputs(checkpoint, text)
    _check(way, targets, distances, len(ids))
    source = np.resize(_inputs(checkpoint, other), len(ids))
    recurrent, places = M > 0, np.asarray(targets)
    wanted = _cells(targets, distances, L, recurrent)
    starts = [_start(b, way, L, recurrent) for b in bounds]
    ends = [places[[column for _, column in wanted[b]]].max() for b in bounds]
    texts = [_changed(ids, b, way, source, seed)[start:end] for b, start, end in zip(bounds, starts, ends, strict=True)]
    cells = [(n, row, column) for n, b in enumerate(bounds) for row, column in wanted[b]]
    losses = _losses(model, texts, starts, L, ids, [(n, targets[column]) for n, _, column in cells], tick)
    found = np.full((len(distances), len(targets)), np.nan, dtype=np.float32)
    for (_, row, column), loss in zip(cells, losses, strict=True):
        found[row, column] = loss
    return found


def _cells(targets: Sequence[int], distances: Sequence[int], L: int, recurrent: bool) -> dict[int, list[tuple[int, int]]]:
    """By b = t - d, the first place that stays as it is: the rows and columns of the result that need it."""
    wanted: dict[int, list[tuple[int, int]]] = {}
    for row, d in enumerate(distances):
        for column, t in enumerate(targets):
            # Without a memory nothing before the target's segment is read: there the loss is what it was.
            if t - d > (0 if recurrent else (t - 1) // L * L):
                wanted.setdefault(t - d, []).append((row, column))
    return wanted


def _inputs(checkpoint: Checkpoint, text: str) -> Ids:
    return np.array(checkpoint.inputs(text))


def _start(b: int, way: Way, L: int, recurrent: bool) -> int:
    """The first place that is read. Without a memory it is the first of the segment of b."""
    return b if way == "dropped" else 0 if recurrent else b // L * L


def _changed(ids: Ids, b: int, way: Way, source: Ids, seed: int) -> Ids:
    """The text's ids with those before place b changed; what is dropped is cut off later."""
    made = ids.copy()
    if way == "shuffled":
        made[:b] = np.random.default_rng([seed, b]).permutation(ids[:b])
    elif way == "replaced":
        made[:b] = source[:b]
    return made


def _losses(
    model: LanguageModel,
    texts: Sequence[Ids],
    starts: Sequence[int],
    L: int,
    ids: Ids,
    asked: Sequence[tuple[int, int]],
    tick: Callable[[], object] | None = None,
) -> Losses:
    """The losses of tokens of ``ids``, asked for as (row, place), when the row's text is read, which begins at its start.

    Texts end in different places; what fills them up comes after all that is asked, so a causal model doesn't see it.
    """
    width = max(len(one) for one in texts)
    batch = torch.from_numpy(np.stack([np.pad(one, (0, width - len(one))) for one in texts]))
    memory: Memory = ()
    hidden = []
    head = L - starts[0] % L
    for piece in (batch[:, :head], *torch.split(batch[:, head:], L, dim=1)):
        if piece.shape[1]:
            out = model(piece, memory or None)
            memory = out.memory
            hidden.append(out.hidden)
            if tick is not None:
                tick()
    row, place = np.array(asked).T
    targets = torch.from_numpy(ids[place])[None]
    rows = torch.cat(hidden, dim=1)[row, place - 1 - np.asarray(starts)[row]][None]
    return model.token_losses(rows, targets)[0].numpy()


def _check(way: str, targets: Sequence[int], distances: Sequence[int], total: int) -> None:
    if way not in WAYS:
        raise ValueError(f"there is no way {way!r}: the context can be {', '.join(WAYS)}")
    if not targets or not all(0 < t < total for t in targets):
        raise ValueError(f"the targets must be places from 1 to {total - 1}")
    if not distances or min(distances) < 1:
        raise ValueError("the distances must be at least 1: a model needs a token to predict from")
