"""Each attention system over one text: who sees whom in a layer, and who can reach whom through several.

Places count from 0 and run over all T rows of a text; masks come from ``models/attentions``, reach from ``analysis/reach``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from txlviz.analysis.paths import Mask
from txlviz.analysis.reach import descend_through, reach_through
from txlviz.models.attentions import SYSTEMS, AttentionSystem, Settings

Counts = npt.NDArray[np.int64]
Shares = npt.NDArray[np.float64]


def system(name: str) -> AttentionSystem:
    """The system of that name; ValueError where there is none."""
    if name not in SYSTEMS:
        raise ValueError(f"there is no attention system {name!r}: choose from {', '.join(SYSTEMS)}")
    return SYSTEMS[name]


def mask(name: str, n: int, settings: Settings, layer: int = 0, place: int | None = None) -> Mask:
    """(T, T) bool, T = ``n``: row i holds the keys that query i sees in one look of the layer (from 0).

    For ``sliding`` row i is the last row of the pass that predicts what follows i; with ``place`` all pairs of that one pass.
    """
    if n < 1:
        raise ValueError(f"{n} tokens: there must be at least 1")
    return np.asarray(system(name).visible(n, settings, layer, place).numpy(), dtype=np.bool_)


def masks(name: str, n: int, settings: Settings, n_layers: int, place: int | None = None) -> list[Mask]:
    """``mask`` for each of N layers, the lowest first. Only BigBird's differ: each layer draws its own random blocks."""
    if n_layers < 1:
        raise ValueError(f"{n_layers} layers: there must be at least 1")
    if name != "bigbird":
        return [mask(name, n, settings, 0, place)] * n_layers
    return [mask(name, n, settings, layer) for layer in range(n_layers)]


def cone(name: str, n: int, settings: Settings, n_layers: int, place: int) -> Mask:
    """(N + 1, T) bool: the nodes that the top output at ``place`` can depend on, as ``reachable`` gives them."""
    return reach_through(masks(name, n, settings, n_layers, place), place)


def connected(name: str, n: int, settings: Settings, n_layers: int) -> npt.NDArray[np.bool_]:
    """(N, T, T) bool: whether the output of a model of 1 to N layers at place i can depend on the input at place j."""
    found = np.zeros((n_layers, n, n), dtype=bool)
    if name == "sliding":
        for place in range(n):
            first = max(0, place + 1 - settings.segment_length)
            rows = _through(
                [full[first : place + 1, first : place + 1] for full in masks(name, n, settings, n_layers, place)],
                [place - first],
            )
            found[:, place, first : place + 1] = rows[:, 0]
        return found
    return _through(masks(name, n, settings, n_layers), range(n))


def _through(layers: Sequence[Mask], places: Sequence[int]) -> npt.NDArray[np.bool_]:
    """(N, P, T) what 1 to N layers reach from each of the places."""
    if all(one is layers[0] for one in layers):  # then k layers reach what the top k of N do
        return np.stack(list(descend_through(layers, places))[1:])
    return np.stack([list(descend_through(layers[:depth], places))[-1] for depth in range(1, len(layers) + 1)])


@dataclass(frozen=True)
class Reach:
    """How far models of 1 to N layers reach, in tokens."""

    back: Counts
    """(N, T) from each place to the earliest input that can matter there."""
    ahead: Counts
    """(N, T) to the latest; 0 everywhere where a system is causal."""
    inputs: Counts
    """(N, T) how many inputs can matter, itself among them: with global or random tokens fewer than lie between."""

    @property
    def mean_back(self) -> Shares:
        """(N,) over all places."""
        return np.asarray(self.back.mean(axis=1))


def reach(name: str, n: int, settings: Settings, n_layers: int) -> Reach:
    """Tokens back and ahead that can matter at each place, after 1 to N layers. Not all between need to: see ``connected``."""
    joined, places = connected(name, n, settings, n_layers), np.arange(n)
    back, ahead = places - joined.argmax(axis=2), n - 1 - joined[:, :, ::-1].argmax(axis=2) - places
    return Reach(back, ahead, joined.sum(axis=2))


def lost_by_distance(name: str, n: int, settings: Settings, n_layers: int) -> Shares:
    """(N, T) the share of the pairs at distance d = i - j, from 0 to T - 1, that no path joins after 1 to N layers: those lost.

    Pairs that look back only, so that causal systems and others compare.
    """
    joined = connected(name, n, settings, n_layers)
    return np.array([[1.0 - layer.diagonal(-d).mean() for d in range(n)] for layer in joined])


def lost_pairs(by_distance: Shares, at_least: int) -> Shares:
    """(N,) the share of all pairs ``at_least`` tokens apart or more that are lost, of ``lost_by_distance``."""
    n = by_distance.shape[1]
    if not 0 <= at_least < n:
        raise ValueError(f"no pair of {n} tokens is {at_least} apart")
    pairs = n - np.arange(at_least, n)
    return np.asarray(by_distance[:, at_least:] @ pairs / pairs.sum())


def scores_computed(name: str, n: int, settings: Settings) -> int:
    """Scores of one head that one layer needs for the whole text, hidden ones left out: pairs of a query and a key.

    ``sliding`` moves its window by one token and counts each pass; its first one predicts L tokens, the others one each.
    ``linformer`` has n x k scores, with projected rows.
    """
    if name == "linformer":
        return n * settings.rank
    if name == "sliding":
        width = min(n, settings.segment_length)
        return (n - width + 1) * width * (width + 1) // 2
    return int(mask(name, n, settings).sum())
