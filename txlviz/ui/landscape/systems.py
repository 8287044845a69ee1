"""What each attention system makes of the text: who sees whom, what can reach the selected token, and weights."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

import txlviz
from txlviz.analysis import landscape
from txlviz.analysis.landscape_weights import weights as weights_of
from txlviz.models.attentions import SYSTEMS
from txlviz.models.attentions import Settings as Sizes
from txlviz.ui import models
from txlviz.ui.landscape.reading import Reading

Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Seen:
    """One system over one text of T tokens."""

    causal: bool
    mask: Mask
    """(T, T) of the first layer."""
    cone: Mask
    """(N + 1, T) what can reach the selected place; row 0 holds the inputs."""
    back: tuple[int, ...]
    """Tokens back from the selected place that can matter there, after 1 to N layers."""
    gapless: int
    """Tokens back after N layers before the first that can't matter."""
    mean: tuple[float, ...]
    """``back`` as the mean over all places."""
    scores: int
    """Scores of one head that a layer computes."""


def seen(system: str, reading: Reading, sizes: Sizes) -> Seen:
    """From the system's own masks, without a model."""
    return _seen(system, len(reading.tokens), reading.place, reading.n_layers, concerning(system, sizes))


def weights(system: str, reading: Reading, preset: str, sizes: Sizes, layer: int, head: int) -> npt.NDArray[np.float32]:
    """(T, T) of one head, by the shipped weights."""
    pair = (models.checkpoint(preset, "xl"), models.checkpoint(preset, "vanilla"))
    found = models.remembered(_weights, pair, system, reading.text, concerning(system, sizes), layer)
    return np.asarray(found[head])


def concerning(system: str, sizes: Sizes) -> Sizes:
    """The sizes with those that the system doesn't take at their defaults: what doesn't change isn't computed again."""
    return Sizes(**{name: getattr(sizes, name) for name in SYSTEMS[system].takes})


def _weights(pair: tuple[txlviz.Checkpoint, txlviz.Checkpoint], *args: Any) -> npt.NDArray[np.float32]:
    return weights_of(*pair, *args)


@lru_cache(maxsize=128)
def _seen(system: str, n: int, place: int, n_layers: int, sizes: Sizes) -> Seen:
    cone = landscape.cone(system, n, sizes, n_layers, place)
    reached = reach(system, n, n_layers, sizes)
    hidden = np.flatnonzero(~cone[0, : place + 1])
    return Seen(
        causal=SYSTEMS[system].causal,
        mask=landscape.mask(system, n, sizes),
        cone=cone,
        back=tuple(int(far) for far in reached.back[:, place]),
        gapless=place - (int(hidden[-1]) + 1 if len(hidden) else 0),
        mean=tuple(float(mean) for mean in reached.mean_back),
        scores=landscape.scores_computed(system, n, sizes),
    )


@lru_cache(maxsize=128)
def reach(system: str, n: int, n_layers: int, sizes: Sizes) -> landscape.Reach:
    """``analysis.landscape.reach``, remembered: how far every place of a text of n tokens reaches after 1 to N layers."""
    return landscape.reach(system, n, sizes, n_layers)
