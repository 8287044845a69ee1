"""Why absolute numbers fail across segments: they collide, and states that were kept can't be renumbered.

Dai et al. 2019, section 3.3. Both are measured on the vanilla model's own vectors and weights.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from txlviz.analysis import attention_of
from txlviz.checkpoint import Checkpoint
from txlviz.models import TERMS
from txlviz.models.attention import split_heads
from txlviz.models.positions import sinusoids

Array = npt.NDArray[np.float32]

_WINDOWS = 32


@dataclass(frozen=True)
class Collision:
    """One query at number p of its segment, and two keys with the same number p: itself, and the token L places earlier."""

    query: int
    """Place of the query in the inputs."""
    keys: tuple[int, int]
    """Places of the two keys: L back, and the query itself."""
    number: int
    """p, the same for all three."""
    terms: dict[str, Array]
    """``"a"`` to ``"d"``: (head, 2) the first layer's terms for the two keys, divided by sqrt(E)."""
    vector_difference: float
    """Largest difference between the two keys' position vectors."""


@torch.inference_mode()
def collision(vanilla: Checkpoint, text: str, segment_length: int, query: int) -> Collision:
    """What the vanilla model's first layer would score if the segment before had been kept with its numbers.

    ``query`` is a place in the inputs (0 is the newline before the text). ValueError where no segment stands before it, or the
    model isn't a vanilla one.
    """
    model, attention = attention_of.absolute(vanilla, 0)
    ids = torch.tensor(vanilla.inputs(text))
    if not segment_length <= query < len(ids):
        raise ValueError(f"place {query} has no segment of {segment_length} before it")
    number = query % segment_length
    places = [query - segment_length, query]
    embedding = model.embed(ids[None, places])  # E of both keys (1, 2, D)
    U = sinusoids(torch.tensor([place % segment_length for place in places]), vanilla.config.d_model)  # (2, D)
    terms = attention.terms(embedding, U)
    scale = 1 / math.sqrt(vanilla.config.d_head)
    found: dict[str, Array] = {term: (terms[term][0, :, 1] * scale).numpy() for term in TERMS}  # the second row: the query
    return Collision(query, (places[0], places[1]), number, found, float((U[0] - U[1]).abs().max()))


@torch.inference_mode()
def by_distance(xl: Checkpoint, text: str, query: int, back: Sequence[int]) -> Array:
    """(head, distance) (b) + (d) of the Transformer-XL's first layer for the query at a place, divided by sqrt(E).

    What stands in the place of numbers: there the query is its embedding, and a key a distance. ValueError for a vanilla model.
    """
    model, attention = attention_of.relative(xl, 0)
    ids = torch.tensor(xl.inputs(text))
    q = split_heads(attention.w_q(model.embed(ids[None, query : query + 1])), attention.n_heads)[0]  # (H, 1, E)
    r = split_heads(attention.w_r(sinusoids(torch.tensor(list(back)), xl.config.d_model))[None], attention.n_heads)[0]
    return (((q + model.v[0][:, None]) * r).sum(-1) * attention.scale).numpy()


@dataclass(frozen=True)
class Renumbering:
    """How the states of the same tokens differ under two ranges of numbers. Level 0 is E + U, level n the output of layer n."""

    numbers: tuple[range, range]
    """The two ranges of numbers; both within what the model was trained with."""
    windows: int
    """Stretches of the text that were read under both."""
    change: Array
    """(N + 1,) size of the change relative to the state's: root mean square over tokens."""
    left: Array
    """(N + 1,) the share of the change that is left when the best vector for each number, learned from the other windows, is
    subtracted: 0 where one vector a number undoes the change for any token; 1 and more where none helps. NaN for one window."""


@torch.inference_mode()
def renumbered(vanilla: Checkpoint, text: str) -> Renumbering:
    """Reads stretches of the text numbered from 0, and again from W on, W being half of what the model was trained with.

    ValueError where the text is empty, or the model isn't a vanilla one.
    """
    attention_of.absolute(vanilla, 0)
    ids = torch.tensor(vanilla.inputs(text))
    if len(ids) < 2:
        raise ValueError("the text is empty: there is nothing to number")
    W = max(1, min(vanilla.config.segment_length, len(ids)) // 2)
    starts = np.unique(np.linspace(0, len(ids) - W, _WINDOWS).round().astype(int))
    windows = torch.stack([ids[start : start + W] for start in starts.tolist()])
    low, high = (_states(vanilla, windows, first) for first in (0, W))  # (N + 1, window, W, D)
    delta = (high - low).double()
    size = delta.square().sum(dim=(1, 2, 3))
    change = (size / low.double().square().sum(dim=(1, 2, 3))).sqrt()
    n = len(windows)
    if n > 1:
        others = (delta.sum(dim=1, keepdim=True) - delta) / (n - 1)
        left = ((delta - others).square().sum(dim=(1, 2, 3)) / size).sqrt() * math.sqrt((n - 1) / n)
    else:
        left = torch.full_like(change, math.nan)
    ranges = (range(W), range(W, 2 * W))
    return Renumbering(ranges, n, change.float().numpy(), left.float().numpy())


def _states(vanilla: Checkpoint, windows: Tensor, first: int) -> Tensor:
    """(N + 1, window, W, D): the input and each layer's output, with numbers from ``first`` on."""
    model, _ = attention_of.absolute(vanilla, 0)
    U = sinusoids(torch.arange(first, first + windows.shape[1]), model.config.d_model)
    levels = [model.embed(windows) + U]
    for block in model.blocks:
        levels.append(block(levels[-1]))
    return torch.stack(levels)
