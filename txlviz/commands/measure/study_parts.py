"""The parts of the study's record: from losses, texts and step times to what JSON holds."""

from __future__ import annotations

import dataclasses
import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from txlviz.analysis import recurrences
from txlviz.analysis.recurrences import Ids, Masks, Values
from txlviz.analysis.repetition import distinct_n, repeated_tokens
from txlviz.analysis.step_time import step_seconds
from txlviz.analysis.study import difference
from txlviz.checkpoint import Checkpoint
from txlviz.generation import Sampling, stream
from txlviz.recorded import significant
from txlviz.training.presets import Preset

MEMORIES = (0, 64, 256)
"""M of the Transformer-XL that classes of tokens are compared for."""
FREQUENCIES = (0.0, 50.0, 200.0, 1000.0, math.inf)
"""Bounds of how often a token stands among a million of the training split."""
BLOCK = 512
PROMPT = (
    "The lighthouse at Carrow Point was built in 1832 by the engineer Thomas Hale. It stands on a narrow rock above the sea, "
    "and its lamp can be seen from a distance of twenty miles."
)
SAMPLING = Sampling(temperature=0.8, top_k=40)
SEED, NEW_TOKENS = 1, 200
ROUNDS = 40

Record = dict[str, Any]


def gap(vanilla: Values, xl: Values) -> Record:
    """How vanilla's losses differ from the Transformer-XL's."""
    return {name: _rounded(value) for name, value in dataclasses.asdict(difference(vanilla, xl)).items()}


def by_class(ids: Ids, train: Ids, losses: Mapping[str, Values], L: int) -> Record:
    """Mean losses and gains from memory, by where a token was seen last.

    Args:
        losses: ``vanilla``, and ``xl_M`` for each M of MEMORIES; (T,) nats.
    """
    distance = recurrences.distances(ids)
    of = recurrences.classes(L)
    groups = recurrences.members(distance, of, L)
    beyond = distance > L
    bands = _bands(recurrences.frequencies(train, ids))
    rows = [{"name": one.name, **_row(group, losses)} for one, group in zip(of, groups, strict=True)]
    return {
        "block": BLOCK,
        "classes": rows,
        "beyond": {"beyond": _row(beyond, losses), "rest": _row(~beyond, losses), **_contrast(beyond, losses)},
        "by_frequency": [
            {
                "name": name,
                "beyond": _row(band & beyond, losses),
                "rest": _row(band & ~beyond, losses),
                "new": _row(band & (distance == recurrences.NEVER), losses),
            }
            for name, band in bands.items()
        ],
        "same_frequency": _same_frequency(list(bands.values()), beyond, losses),
    }


def texts(source: Checkpoint) -> Record:
    """200 tokens after the prompt, drawn with a fixed seed."""
    steps = stream(source, PROMPT, sampling=SAMPLING, seed=SEED)
    ids = [step.token for _, step in zip(range(NEW_TOKENS), steps, strict=False)]
    measures = {f"distinct_{n}": _rounded(distinct_n(ids, n)) for n in (1, 2, 3, 4)}
    return {"text": source.decode(ids), "tokens": len(ids), **measures, "repeated_16": _rounded(repeated_tokens(ids, 16))}


def steps(preset: Preset, machine: str, rounds: int, done: Callable[[int], object]) -> Record:
    """Seconds of one training step of both models."""
    seconds = {kind: _rounded(value) for kind, value in step_seconds(preset, rounds, done).items()}
    return {"seconds": seconds, "rounds": rounds, "machine": machine}


def _row(group: Masks, losses: Mapping[str, Values]) -> Record:
    """Tokens of a group, their mean losses, and what memory gains: M = 0 minus M, with errors."""
    n = int(group.sum())
    mean = {name: _rounded(float(value[group].mean()) if n else None) for name, value in losses.items()}
    return {"tokens": n, "loss": mean, "gain": {str(M): _gain(group, losses, M) for M in MEMORIES[1:]}}


def _gain(group: Masks, losses: Mapping[str, Values], M: int) -> Record:
    gains = _gains(losses, M)
    if not group.any():
        return {"mean": None, "standard_error": None}
    drawn = recurrences.resampled_means(gains, group[None], block=BLOCK)
    return {"mean": _rounded(float(gains[group].mean())), "standard_error": _rounded(float(np.nanstd(drawn, ddof=1)))}


def _contrast(beyond: Masks, losses: Mapping[str, Values]) -> Record:
    """Gain of the tokens last seen beyond L minus that of all others, with 95 % intervals."""
    found = {}
    for M in MEMORIES[1:]:
        gains = _gains(losses, M)
        drawn = recurrences.resampled_means(gains, np.array([beyond, ~beyond]), block=BLOCK)
        found[str(M)] = _interval(gains[beyond].mean() - gains[~beyond].mean(), drawn[:, 0] - drawn[:, 1])
    return {"difference": found}


def _same_frequency(bands: Sequence[Masks], beyond: Masks, losses: Mapping[str, Values]) -> Record:
    """The same difference within each band of frequency, averaged as the tokens beyond are spread over the bands."""
    bands = [band for band in bands if (band & beyond).any() and (band & ~beyond).any()]
    share = np.array([(band & beyond).sum() for band in bands], dtype=float)
    share /= share.sum()
    found = {}
    for M in MEMORIES[1:]:
        gains = _gains(losses, M)
        groups = np.array([band & side for side in (beyond, ~beyond) for band in bands])
        drawn = recurrences.resampled_means(gains, groups, block=BLOCK)
        means = np.array([gains[group].mean() for group in groups])
        k = len(bands)
        found[str(M)] = _interval((means[:k] - means[k:]) @ share, (drawn[:, :k] - drawn[:, k:]) @ share)
    return found


def _interval(value: float, drawn: Values) -> Record:
    low, high = np.nanquantile(drawn, (0.025, 0.975))
    return {"mean": _rounded(float(value)), "low": _rounded(float(low)), "high": _rounded(float(high))}


def _gains(losses: Mapping[str, Values], M: int) -> Values:
    return np.asarray(losses["xl_0"], dtype=np.float64) - losses[f"xl_{M}"]


def _bands(per_million: Values) -> dict[str, Masks]:
    """Bands of frequency, rarest first, by name."""
    found = {}
    for low, high in itertools.pairwise(FREQUENCIES):
        name = f"{low:.0f} and more" if math.isinf(high) else f"{low:.0f} to {high:.0f}"
        found[name] = (per_million >= low) & (per_million < high)
    return found


def _rounded(value: Any) -> Any:
    return significant(value) if isinstance(value, float) else value
