"""One head's scores, term by term, as they are shown: divided by sqrt(d_head), so that the four add up to the score."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float32]
Mask = npt.NDArray[np.bool_]

TERMS = ("a", "b", "c", "d")


@dataclass(frozen=True)
class ScoreMaps:
    """The maps of one head over one segment: L queries down, K keys across, oldest first. 0 where a key is hidden."""

    terms: Mapping[str, Array]
    """``"a"`` to ``"d"``: (L, K) each, also those that the model was told to leave out."""
    score: Array
    """(L, K) the sum of the terms that are on."""
    weights: Array
    """(L, K) softmax of the score over the row's visible keys."""
    span: npt.NDArray[np.int32]
    """(L, 2) the first and the last visible key of each query."""


def score_maps(
    terms: Mapping[str, Array], scores: Array, weights: Array, visible: Mask, *, head: int, d_head: int, centred: bool = False
) -> ScoreMaps:
    """Picks one head of a layer (arrays (H, L, K), terms before the scale).

    Args:
        centred: take each row's mean over its visible keys off every term and off the score. A constant added to a row
            changes nothing after softmax, so what is left is what can move a weight.
    """
    scale = np.float32(1.0 / math.sqrt(d_head))
    shown = {term: _cleared(terms[term][head] * scale, visible) for term in TERMS}
    score = _cleared(scores[head], visible)
    if centred:
        shown = {term: centre_rows(values, visible) for term, values in shown.items()}
        score = centre_rows(score, visible)
    return ScoreMaps(shown, score, np.ascontiguousarray(weights[head]), visible_span(visible))


def centre_rows(values: Array, visible: Mask) -> Array:
    """``values`` (L, K) with each row's mean over its visible keys taken off; hidden keys are 0."""
    total = np.where(visible, values, 0).sum(axis=1, keepdims=True, dtype=np.float64)
    mean = total / np.maximum(visible.sum(axis=1, keepdims=True), 1)
    return _cleared((values - mean).astype(np.float32), visible)


def visible_span(visible: Mask) -> npt.NDArray[np.int32]:
    """(L, 2) the first and the last visible key of each row. What a query may see has no gaps."""
    last = visible.shape[1] - 1 - np.argmax(visible[:, ::-1], axis=1)
    return np.stack([np.argmax(visible, axis=1), last], axis=1).astype(np.int32)


def signed_limit(maps: ScoreMaps, off: Collection[str] = (), share: float = 0.995) -> float:
    """One range for the terms that are on and their sum: the size below which ``share`` of the visible values lie.

    A few extreme cells then don't wash out the rest; the ends of the colour bar say "or more".
    """
    rows, columns = _visible_cells(maps.span, maps.score.shape)
    shown = [maps.score, *(values for term, values in maps.terms.items() if term not in off)]
    return _quantile(np.concatenate([np.abs(values[rows, columns]) for values in shown]), share)


def weight_limit(maps: ScoreMaps, share: float = 0.998) -> float:
    """The weight at the bright end of the colour bar."""
    return _quantile(maps.weights[_visible_cells(maps.span, maps.weights.shape)], share)


def _visible_cells(span: npt.NDArray[np.int32], shape: tuple[int, ...]) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]:
    keys = np.arange(shape[1])
    rows, columns = np.nonzero((keys >= span[:, :1]) & (keys <= span[:, 1:]))
    return rows, columns


def _quantile(values: Array, share: float) -> float:
    """The value at ``share`` of the way up; 1 where all are 0, since a range needs a width."""
    at = min(len(values) - 1, math.ceil(share * len(values)))
    found = float(np.partition(values, at)[at])
    return found if found > 0 else 1.0


def _cleared(values: Array, visible: Mask) -> Array:
    """A copy with 0 at hidden keys, where scores are -inf and terms have no meaning."""
    return np.where(visible, values, np.float32(0))
