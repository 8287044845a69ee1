"""What each head thinks of each distance: (b) + (d), averaged over the queries of a text."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import torch

from txlviz.analysis import attention_of
from txlviz.analysis.layer_inputs import LayerInputs
from txlviz.checkpoint import Checkpoint
from txlviz.models.attention import split_heads
from txlviz.models.positions import sinusoids

Curves = npt.NDArray[np.float32]


@dataclass(frozen=True)
class PositionCurves:
    """By layer, head and distance 0 … K-1, in score points: divided by sqrt(E)."""

    mean: Curves
    """(N, H, K) the mean of q_i·r + v·r over the queries that see a key at that distance."""
    bias: Curves
    """(N, H, K) v·r alone, which no text changes."""
    queries: npt.NDArray[np.int64]
    """(K,) how many queries see a key at that distance: few at the far end."""


@torch.inference_mode()
def position_curves(checkpoint: Checkpoint, inputs: LayerInputs) -> PositionCurves:
    """Dai et al. 2019, section 3.3, terms (b) and (d), from what the layers read (``layer_inputs``).

    The mean of q_i·r over some queries is the mean of q_i, times r: so no matrix of queries by keys is needed.

    Raises:
        ValueError: the model has no relative positions.
    """
    model, _ = attention_of.relative(checkpoint, 0)
    config, scale = model.config, 1 / math.sqrt(model.config.d_head)
    reach = torch.from_numpy(np.arange(inputs.rows.shape[1]) - inputs.first_keys)  # the furthest distance each query sees
    K = int(reach.max()) + 1
    queries = _at_least(torch.ones(len(reach), 1), reach, K)  # (K, 1)
    distance = torch.arange(K)
    if config.clamp_len > 0:
        distance = distance.clamp(max=config.clamp_len)
    R = sinusoids(distance, config.d_model)
    means, biases = [], []
    for layer in range(config.n_layers):
        _, attention = attention_of.relative(checkpoint, layer)
        q = attention.w_q(torch.from_numpy(inputs.rows[layer].copy()))  # (place, H·E)
        q_mean = split_heads((_at_least(q, reach, K) / queries).float()[None], config.n_heads)[0]  # (H, K, E)
        r = split_heads(attention.w_r(R)[None], config.n_heads)[0]  # (H, K, E)
        v = model.v[min(layer, len(model.v) - 1)][:, None]  # (H, 1, E)
        biases.append((v * r).sum(-1) * scale)
        means.append((q_mean * r).sum(-1) * scale + biases[-1])
    return PositionCurves(torch.stack(means).numpy(), torch.stack(biases).numpy(), queries[:, 0].long().numpy())


def sinusoid_table(n_distances: int, d_model: int) -> Curves:
    """(K, D) R for the distances 0 … K-1: sines, then cosines, fixed."""
    return sinusoids(torch.arange(n_distances), d_model).numpy()


def _at_least(rows: torch.Tensor, reach: torch.Tensor, K: int) -> torch.Tensor:
    """(K, …) float64: row d is the sum of the rows whose reach is d or more."""
    by_reach = torch.zeros(K, rows.shape[1], dtype=torch.float64).index_add_(0, reach, rows.double())
    return by_reach.flip(0).cumsum(0).flip(0)
