"""From A^abs to A^rel (Dai et al. 2019, section 3.3): the same pair of tokens, scored by both first layers.

Between the two ends stand formulas that no model was trained with; of them one can say which quantity becomes which.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor

from txlviz.analysis import attention_of
from txlviz.checkpoint import Checkpoint
from txlviz.models import TERMS
from txlviz.models.positions import sinusoids


@dataclass(frozen=True)
class Rewrite:
    """One query, one key, one head, in the first layer of both models. Score points: terms are divided by sqrt(E)."""

    number_query: int
    """Number of the query in its segment: its position vector is U_{number_query}."""
    number_key: int
    absolute: dict[str, float]
    """A^abs of the vanilla model: (a) E·E, (b) E·U, (c) U·E, (d) U·U."""
    relative: dict[str, float]
    """A^rel of the Transformer-XL: (a) E·E, (b) E·R, (c) u·E, (d) v·R."""
    asked: tuple[float, float]
    """Step 2: smallest and largest size of W_q U_i over the numbers i of a trained segment: one vector for each place."""
    biases: tuple[float, float]
    """Step 2: sizes of u and of v, which stand in its place: one vector each, for all places."""
    key_cosine: float
    """Step 3: cosine between W_{k,E} and W_{k,R} of this head, as lists of numbers: 1 would be the one matrix they were."""


@torch.inference_mode()
def rewrite(
    xl: Checkpoint, vanilla: Checkpoint, text: str, segment_length: int, query: int, distance: int, head: int
) -> Rewrite:
    """The terms of the query at place ``query`` for the key ``distance`` back, both in one segment of ``segment_length``.

    In the first layer what is read is the embedding alone (the vanilla model adds U), so that two tokens settle all terms.

    Raises:
        ValueError: the key isn't in the query's segment, or the models aren't a Transformer-XL and a vanilla one.
    """
    model, second = attention_of.relative(xl, 0)
    plain, first = attention_of.absolute(vanilla, 0)
    number = query % segment_length
    ids = torch.tensor(xl.inputs(text))
    if not (0 <= distance <= number and query < len(ids)):
        raise ValueError(f"the key {distance} back from place {query} isn't in the same segment of {segment_length}")
    pair = ids[None, [query - distance, query]]  # key, query
    D, E = xl.config.d_model, xl.config.d_head
    part, scale = slice(head * E, (head + 1) * E), 1 / math.sqrt(E)

    numbers = torch.tensor([number - distance, number])
    split = first.terms(plain.embed(pair), sinusoids(numbers, D))
    absolute: dict[str, float] = {term: float(split[term][0, head, 1, 0]) * scale for term in TERMS}

    q, k, _ = second.project(model.embed(pair[:, 1:]), model.embed(pair[:, :1]))
    r = second.w_r(sinusoids(torch.tensor([distance]), D))[0, part]
    u, v = model.u[0, head], model.v[0, head]
    sides: dict[str, tuple[Tensor, Tensor]] = {
        "a": (q[0, head, 0], k[0, head, 0]),
        "b": (q[0, head, 0], r),
        "c": (u, k[0, head, 0]),
        "d": (v, r),
    }
    relative: dict[str, float] = {term: float(x @ y) * scale for term, (x, y) in sides.items()}

    every = sinusoids(torch.arange(vanilla.config.segment_length), D)
    asked = first.w_q(every)[:, part].norm(dim=-1)
    w_ke, w_kr = second.w_kv.weight[: len(second.w_r.weight)][part].flatten(), second.w_r.weight[part].flatten()
    return Rewrite(
        number_query=number,
        number_key=number - distance,
        absolute=absolute,
        relative=relative,
        asked=(float(asked.min()), float(asked.max())),
        biases=(float(u.norm()), float(v.norm())),
        key_cosine=float(F.cosine_similarity(w_ke, w_kr, dim=0)),
    )
