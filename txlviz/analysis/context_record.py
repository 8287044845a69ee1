"""Recorded losses against context: which targets, how sure their mean is, where it stops falling, and the files for them."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from safetensors import SafetensorError
from safetensors.numpy import load, save
from torch import Tensor

from txlviz import recorded
from txlviz.models import LanguageModel

CONTEXTS = (1, 2, 4, 8, *range(16, 513, 16))
"""(c) tokens."""
TARGETS, STRETCHES, SPACING = 4096, 4, 16
"""Targets, the stretches of the split that they are taken from, and their distance: neighbours would tell much the same."""
SEED, RESAMPLES, NEIGHBOURS = 0, 1000, 4
FLAT = 0.01
"""Nats: a fall of the mean loss below it counts as none, about 1 % of the perplexity."""

FACTS, LOSSES = "context.json", "context.safetensors"

_TOKENS_AT_ONCE = 4096  # of one batch of passes

Array = npt.NDArray[np.float64]
Places = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)  # known by identity: what is drawn of it can be kept
class ContextRecord:
    """The losses of both models over the same targets."""

    facts: Mapping[str, Any]
    """What the JSON file holds: ``split``, ``trained``, ``bands``, …"""
    contexts: tuple[int, ...]
    losses: Mapping[str, npt.NDArray[np.float32]]
    """(context, target) nats, by kind of model."""


def targets_of(total: int, longest: int, count: int = TARGETS) -> Places:
    """(count,) places of the targets in a text of ``total`` tokens: every 16th place of four stretches, spread evenly.

    Each target has ``longest`` tokens before it. ValueError where the text is too short.
    """
    sizes = [len(part) for part in np.array_split(np.arange(count), min(STRETCHES, count))]
    if total < (needed := longest + SPACING * count):
        raise ValueError(f"the text has {total:,} tokens; {needed:,} are needed for {count:,} targets")
    firsts = np.linspace(longest, total - SPACING * sizes[0], len(sizes)).astype(int)
    return np.concatenate([first + SPACING * np.arange(size) for first, size in zip(firsts, sizes, strict=True)])


@torch.inference_mode()
def losses_of(
    model: LanguageModel,
    ids: Tensor,
    places: Places,
    contexts: Sequence[int] = CONTEXTS,
    progress: Callable[[float], None] | None = None,
) -> npt.NDArray[np.float32]:
    """(context, target) nats of the tokens of ``ids`` (T,) at ``places``, each given exactly c tokens: memory empty, one pass.

    The same as ``context.losses_by_context``, for targets that lie apart. One pass answers for all targets and contexts whose
    tokens begin where it begins: with targets 16 places apart and contexts in steps of 16 that is one pass a target.
    """
    found = np.empty((len(contexts), len(places)), dtype=np.float32)
    column_of = {int(place): column for column, place in enumerate(places)}
    groups: dict[int, list[int]] = {}  # by the length of the passes: contexts that share beginnings, and the short ones
    steps = [c for c in contexts if c % SPACING == 0]
    for at, c in enumerate(contexts):
        groups.setdefault(max(steps) if c in steps else max(set(contexts) - set(steps)), []).append(at)
    work = {longest: len({int(t) - contexts[at] for t in places for at in rows}) * longest for longest, rows in groups.items()}
    done = 0
    for longest, rows in groups.items():
        starts = torch.tensor(sorted({int(t) - contexts[at] for t in places for at in rows}))
        for group in torch.split(starts, max(1, _TOKENS_AT_ONCE // longest)):
            # Passes near the end are padded; a causal model doesn't see what comes after a place.
            hidden = model(ids[(group[:, None] + torch.arange(longest)).clamp(max=len(ids) - 1)]).hidden
            asked = [
                (row, at, column_of[start + contexts[at]])
                for row, start in enumerate(group.tolist())
                for at in rows
                if start + contexts[at] in column_of
            ]
            row, at, column = np.array(asked).T
            wanted = torch.from_numpy(places[column])
            losses = model.token_losses(hidden[row, np.asarray(contexts)[at] - 1][None], ids[wanted][None])[0]
            found[at, column] = losses.numpy()
            done += len(group) * longest
            if progress is not None:
                progress(done / sum(work.values()))
    return found


def resampled(losses: npt.ArrayLike, seed: int = SEED, draws: int = RESAMPLES, neighbours: int = NEIGHBOURS) -> Array:
    """(draw, context) means over resampled targets: a block bootstrap.

    Runs of neighbouring targets are drawn together, since their losses go together. All contexts share the draws.
    """
    table = np.asarray(losses, dtype=np.float64)
    blocks = np.array_split(np.arange(table.shape[1]), max(1, table.shape[1] // neighbours))
    sums = np.stack([table[:, block].sum(axis=1) for block in blocks])
    sizes = np.array([len(block) for block in blocks])
    drawn = np.random.default_rng(seed).integers(len(blocks), size=(draws, len(blocks)))
    means: Array = sums[drawn].sum(axis=1) / sizes[drawn].sum(axis=1)[:, None]
    return means


def flattens(means: npt.ArrayLike, contexts: Sequence[int], tolerance: float = FLAT) -> int:
    """The first c after which no longer context lowers the mean loss (context,) by ``tolerance`` nats or more."""
    values = np.asarray(means, dtype=np.float64)
    best_after = np.minimum.accumulate(values[::-1])[::-1]  # of this context and all longer ones
    return int(contexts[int(np.argmax(values - best_after < tolerance))])


def summary(losses: npt.ArrayLike, contexts: Sequence[int]) -> dict[str, Any]:
    """Mean, 95 % band and where the curve gets flat, with the band of that."""
    table = np.asarray(losses, dtype=np.float64)
    draws = resampled(table)
    low, high = np.percentile(draws, [2.5, 97.5], axis=0)
    flat = np.percentile([flattens(one, contexts) for one in draws], [2.5, 97.5], method="nearest")
    mean = table.mean(axis=1)
    return {
        "mean": _rounded(mean),
        "low": _rounded(low),
        "high": _rounded(high),
        "flat": flattens(mean, contexts),
        "flat_low_high": [int(end) for end in flat],
    }


def write(
    folder: Path,
    facts: Mapping[str, Any],
    losses: Mapping[str, npt.ArrayLike],
    weights: Mapping[str, str],
    by: str | None = None,
) -> None:
    """Writes both files: the losses as float16 (steps of 0.004 nats at 4 nats), and what is known of them as JSON.

    ``by`` as ``recorded.write`` has it.
    """
    data = save({kind: np.ascontiguousarray(table, dtype=np.float16) for kind, table in losses.items()})
    (folder / LOSSES).write_bytes(data)
    digest = hashlib.sha256(data).hexdigest()
    recorded.write(folder / FACTS, {**facts, "losses_sha256": digest}, weights, by)


def read(folder: Path, weights: Mapping[str, str | None]) -> ContextRecord:
    """Reads both files. RecordError where one is missing, or they don't belong to each other or to these weights."""
    facts = recorded.read(folder / FACTS, weights)
    path = folder / LOSSES
    try:
        data = path.read_bytes()
        if hashlib.sha256(data).hexdigest() != facts["losses_sha256"]:
            raise recorded.RecordError(f"{path}: these aren't the losses that {FACTS} was written with")
        tables = {kind: table.astype(np.float32) for kind, table in load(data).items()}
        contexts = tuple(int(c) for c in facts["contexts"])
    except (OSError, SafetensorError, KeyError, TypeError) as error:
        raise recorded.RecordError(f"{path}: there are no losses that can be read ({error})") from error
    return ContextRecord(facts, contexts, tables)


def _rounded(values: Array) -> list[float]:
    return [recorded.significant(value) for value in values]
