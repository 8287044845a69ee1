"""A small real matrix for the relative shift: a few queries of one head around a token, against a few distances."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import torch

from txlviz.analysis import attention_of
from txlviz.analysis.layer_inputs import LayerInputs
from txlviz.analysis.shift_steps import Matrix, ShiftSteps, dot, double_loop, shift_steps
from txlviz.checkpoint import Checkpoint
from txlviz.models import ModelConfig
from txlviz.models.positions import relative_shift, sinusoids


@dataclass(frozen=True)
class ShiftWindow:
    """L queries and K keys that end at one place, as if they were a segment and its memory. Values are divided by sqrt(E)."""

    first_key: int
    """Place of key 0 in the inputs. Query i stands at ``first_key + K - L + i``."""
    b: Matrix
    """(L, K) q_i·r for distance K - 1 - c in column c."""
    d: Matrix
    """(K,) v·r, the same for every query."""
    steps: ShiftSteps
    """Of b + d."""
    brute_b: Matrix
    """(L, K) q_i·r_{i-j} by the double loop, each r projected anew; -inf where i - j < 0."""
    brute_d: Matrix
    """(L, K) v·r_{i-j}, likewise."""
    brute: Matrix
    """(L, K) (q_i·r_{i-j} + v·r_{i-j}), likewise."""
    strided: Matrix
    """(L, K) what the model's own ``relative_shift`` makes of b + d."""
    projections: tuple[int, int]
    """How often W_{k,R} R was computed for the matrix by distance (K), and by the double loop (one a visible pair)."""

    @property
    def agree(self) -> bool:
        """Whether the steps, the model's own shift and the double loop are equal in every visible cell, bit for bit."""
        return bool(np.array_equal(self.steps.matrices[-1], self.brute) and np.array_equal(self.strided, self.brute))


def fitting(n_queries: int, n_keys: int, n_inputs: int) -> tuple[int, int]:
    """L and K that the text has places for: K <= places, L <= K, both at least 1."""
    K = max(1, min(n_keys, n_inputs))
    return max(1, min(n_queries, K)), K


@torch.inference_mode()
def shift_window(
    checkpoint: Checkpoint, inputs: LayerInputs, layer: int, head: int, last: int, n_queries: int, n_keys: int
) -> ShiftWindow:
    """The matrix of (q_i + v)·r / sqrt(E) for ``n_queries`` queries ending at place ``last``, and both ways to shift it.

    Everything is the model's own: q = W_q h with h from ``inputs``, r = W_{k,R} R, v. The dot products are taken in float64.
    A window that would begin before the text is moved to its start.

    Raises:
        ValueError: the model has no relative positions or no such layer, or the window doesn't fit into the text.
    """
    model, attention = attention_of.relative(checkpoint, layer)
    total = inputs.rows.shape[1]
    if not 1 <= n_queries <= n_keys <= total:
        raise ValueError(f"{n_queries} queries and {n_keys} keys don't fit into a text of {total} places")
    last = min(max(last, n_keys - 1), total - 1)
    E = model.config.d_head
    part = slice(head * E, (head + 1) * E)
    h = torch.from_numpy(inputs.rows[layer, last - n_queries + 1 : last + 1].copy())
    q = attention.w_q(h)[:, part].numpy()  # (L, E)
    v = model.v[min(layer, len(model.v) - 1), head].numpy()  # (E,)
    project = _Projection(attention.w_r.weight[part].numpy(), model.config)
    scale = 1 / math.sqrt(E)

    r = [project(distance) for distance in range(n_keys - 1, -1, -1)]  # column c is distance K-1-c
    once = project.count
    b = np.array([[dot(q_i, r_c) * scale for r_c in r] for q_i in q])
    d = np.array([dot(v, r_c) * scale for r_c in r])
    by_distance = b + d
    project.count = 0
    anew: dict[tuple[int, int], npt.NDArray[np.float64]] = {}  # r of each pair

    def q_with_r(i: int, distance: int) -> float:
        anew[i, distance] = project(distance)
        return dot(q[i], anew[i, distance]) * scale

    brute_b = double_loop(n_queries, n_keys, q_with_r)
    brute_d = double_loop(n_queries, n_keys, lambda i, distance: dot(v, anew[i, distance]) * scale)
    return ShiftWindow(
        first_key=last - n_keys + 1,
        b=b,
        d=d,
        steps=shift_steps(by_distance),
        brute_b=brute_b,
        brute_d=brute_d,
        brute=brute_b + brute_d,
        strided=relative_shift(torch.from_numpy(by_distance)).numpy().copy(),
        projections=(once, project.count),
    )


class _Projection:
    """r = W_{k,R} R for one distance, and how often it was asked for."""

    def __init__(self, weight: npt.NDArray[np.float32], config: ModelConfig) -> None:
        self.weight, self.config, self.count = weight, config, 0

    def __call__(self, distance: int) -> npt.NDArray[np.float64]:
        self.count += 1
        if self.config.clamp_len > 0:
            distance = min(distance, self.config.clamp_len)
        R = sinusoids(torch.tensor([distance]), self.config.d_model)[0].numpy()
        return np.array([dot(row, R) for row in self.weight])
