"""What a position system brings into the scores of one layer on a text, and how it falls or rises with the distance."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from txlviz.analysis.kept_weights import KeptWeights
from txlviz.checkpoint import Checkpoint
from txlviz.models import SystemTransformer
from txlviz.models.system import SystemAttention

Array = npt.NDArray[np.float32]


@dataclass(frozen=True)
class PositionPart:
    """One layer over the first T inputs of a text, read as one segment without memory. H heads."""

    inputs: list[str]
    """(T,) what the model reads: a newline, then the text's tokens."""
    scores: Array | None
    """(H, T, T) row query, column key: the part of the scaled score that comes from positions, NaN at hidden keys. For what is
    added to scores the bias itself; for the Transformer-XL (b) + (d); for RoPE the score with the turn less the one without;
    for positions at the input U·U of the first layer, (d) of the split of A^abs. None where there is no such part: without
    positions, and above the first layer where positions stand at the input only."""
    weights: Array
    """(H, T, T) the attention weights; 0 at hidden keys."""
    by_distance: Array | None
    """(H, T) the mean of ``scores`` over the visible pairs of each distance i - j, from 0."""
    spread: Array | None
    """(H, T) the standard deviation among the pairs of one distance: 0 where the distance is all that the part knows."""
    weights_by_distance: Array
    """(H, T) the mean attention weight at each distance."""


@torch.inference_mode()
def position_part(checkpoint: Checkpoint, text: str, layer: int = 0, places: int | None = None) -> PositionPart:
    """Computes both with the model's own modules.

    Args:
        layer: from 0.
        places: how many inputs are read, from the start of the text; None: all, or as many as learned positions reach.

    Raises:
        ValueError: the model's position system wasn't chosen by a ``SystemConfig``, or there is no such layer or no text.
    """
    model = checkpoint.model
    if not isinstance(model, SystemTransformer):
        raise ValueError(f"{checkpoint.name}: its positions can't be asked for apart; it is no model of the landscape")
    if not 0 <= layer < model.config.n_layers:
        raise ValueError(f"there is no layer {layer}: the model has layers 0 to {model.config.n_layers - 1}")
    inputs = checkpoint.inputs(text)[: model.config.longest][:places]
    if len(inputs) < 2:
        raise ValueError("the text is empty: there is no token to look at")
    h, parts = _input_of(model, torch.tensor([inputs]), layer)
    attention = model.blocks[layer].attention
    assert isinstance(attention, SystemAttention)
    kept = KeptWeights()
    attention(h, None, kept)
    visible = attention.visible(len(inputs), len(inputs))
    if parts is not None:
        scores: Tensor | None = attention.terms(*parts)["d"] * attention.scale
    else:
        q, k, _ = attention.project(h, h)
        scores = attention.position.part(q, k, attention.scale)
    weights = kept.layers[0][0].numpy()
    seen = visible.numpy()
    mean, spread = (None, None) if scores is None else _by_distance(scores[0].numpy(), seen)
    return PositionPart(
        inputs=checkpoint.tokenizer.show(inputs),
        scores=None if scores is None else np.where(seen, scores[0].numpy(), np.float32(np.nan)),
        weights=weights,
        by_distance=mean,
        spread=spread,
        weights_by_distance=_by_distance(weights, seen)[0],
    )


def _input_of(model: SystemTransformer, ids: Tensor, layer: int) -> tuple[Tensor, tuple[Tensor, Tensor] | None]:
    """(1, T, D) what a layer reads; in the first, embedding and position as well where it is their sum."""
    embedding, place = model.embed(ids), model.place(ids.shape[1])
    h = embedding if place is None else embedding + place
    for block in list(model.blocks)[:layer]:
        h = block(h)
    return h, None if layer > 0 or place is None else (embedding, place)


def _by_distance(values: npt.NDArray[np.floating], visible: npt.NDArray[np.bool_]) -> tuple[Array, Array]:
    """(H, T) mean and standard deviation of (H, T, T) values over the visible pairs of each distance; NaN where there is
    none."""
    T = values.shape[1]
    found = np.full((2, len(values), T), np.nan)
    for distance in range(T):
        of = np.diagonal(values, -distance, axis1=1, axis2=2)[:, np.diagonal(visible, -distance)].astype(np.float64)
        if of.shape[1]:
            found[:, :, distance] = of.mean(axis=1), of.std(axis=1)
    mean, spread = found.astype(np.float32)
    return mean, spread
