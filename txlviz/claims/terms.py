"""Claims 5 and 14: what the four terms of the score are worth, and what u makes independent of the position."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any

import numpy as np
import torch

from txlviz.analysis.hidden import HiddenStates, read
from txlviz.analysis.trace import trace
from txlviz.checkpoint import Checkpoint
from txlviz.claims.claim import CONDITIONS, HOLDS, NOT, Claim, Numbers, Verdict
from txlviz.claims.inputs import PRESETS, Inputs
from txlviz.models import TERMS, TransformerXL
from txlviz.recorded import significant

TOKENS = 20_480
COST = 0.01
"""Nats a token: less counts as nothing."""
SAME = 0.01
"""Of a hidden state's length: less counts as the same."""
FULL = "xl-recurrent-full"


def without_terms(inputs: Inputs) -> Numbers:
    """Loss on the first tokens of valid with each term left out of all layers; and of models trained without it."""
    found: Numbers = {"tokens": TOKENS}
    for size in PRESETS:
        model = inputs.model(size, "xl")
        text = model.decode(model.encode(inputs.valid.text)[:TOKENS])
        plain = float(trace(model, text, record=()).losses.mean(dtype=np.float64))
        found[f"loss_{size}"] = significant(plain)
        for term in TERMS:
            loss = float(trace(model, text, record=(), without={term}).losses.mean(dtype=np.float64))
            found[f"cost_{term}_{size}"] = significant(loss - plain)
    full = inputs.landscape_loss(FULL)
    found["trained_loss"] = full
    for term in TERMS:
        found[f"trained_cost_{term}"] = significant(inputs.landscape_loss(f"xl-recurrent-without-{term}") - full)
    return found


def judge_without_terms(numbers: Mapping[str, Any]) -> Verdict:
    """Can (b) be left out of the trained model, or at least of a model that is trained without it?"""
    if all(numbers[f"cost_b_{size}"] < COST for size in PRESETS) and numbers["trained_cost_b"] < COST:
        return HOLDS
    return CONDITIONS if numbers["trained_cost_b"] < COST else NOT


def same_word(inputs: Inputs) -> Numbers:
    """(c) of the score over all queries, and the hidden states of tokens that stand at several places of one segment."""
    found: Numbers = {}
    for size in PRESETS:
        model = inputs.model(size, "xl")
        run = trace(model, inputs.text, record=(0,))
        layers = [layer.terms["c"] for layer in run.segments[0].layers if layer.terms is not None]
        found[f"c_over_queries_{size}"] = max(float(np.ptp(c, axis=1).max()) for c in layers)
        apart, pairs = _apart(model, inputs.text)
        found["pairs"] = pairs
        found[f"apart_{size}"] = [significant(value) for value in apart]
        without = copy.deepcopy(model.model)
        assert isinstance(without, TransformerXL)
        without.u.data.zero_()
        found[f"apart_without_u_{size}"] = [
            significant(value) for value in _apart(Checkpoint(model.path, without, model.tokenizer, model.card), inputs.text)[0]
        ]
        found[f"vanilla_apart_{size}"] = [significant(value) for value in _apart(inputs.model(size, "vanilla"), inputs.text)[0]]
    return found


def _apart(checkpoint: Checkpoint, text: str) -> tuple[list[float], int]:
    """Mean distance between the hidden states of the same token at two places of the first segment, over their length.

    By layer, from what the first one reads on; and the number of pairs.
    """
    L = checkpoint.config.segment_length
    ids = checkpoint.inputs(text)[:L]
    with torch.inference_mode():
        rows = read(HiddenStates(checkpoint.model), torch.tensor([ids]), L, 0)
    pairs = [(i, j) for j in range(L) for i in range(j) if ids[i] == ids[j]]
    first, second = (torch.tensor(side) for side in zip(*pairs, strict=True))
    distances = [(h[0, second] - h[0, first]).norm(dim=-1) / h[0, first].norm(dim=-1) for h in rows]
    return [float(distance.mean()) for distance in distances], len(pairs)


def judge_same_word(numbers: Mapping[str, Any]) -> Verdict:
    """Is a word's hidden state the same at all its places, and is that owed to u?"""
    alike = all(max(numbers[f"apart_{size}"]) < SAME for size in PRESETS)
    owed = all(max(numbers[f"apart_without_u_{size}"]) >= SAME for size in PRESETS)
    return NOT if not alike else HOLDS if owed else CONDITIONS


CLAIMS = (
    Claim(
        5,
        without_terms,
        judge_without_terms,
        needs_corpus=True,
        made_by=(f"measure landscape --only {FULL} {' '.join(f'xl-recurrent-without-{term}' for term in TERMS)}",),
    ),
    Claim(14, same_word, judge_same_word, live=True),
)
