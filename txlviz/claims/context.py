"""Claims 4 and 10: how much context is used, in segments; and what lies beyond the vanilla model's segment."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from txlviz.analysis import context_record
from txlviz.analysis.recl import effective_contexts
from txlviz.analysis.sabotage import losses_with
from txlviz.claims.claim import CONDITIONS, HOLDS, NOT, Claim, Numbers, Verdict, graded
from txlviz.claims.context_limit import limits
from txlviz.claims.inputs import PRESETS, Inputs

CLAIMED = (4.0, 8.0)
SHARES = (0.1, 0.5, 1.0)
STEP = 16
"""Δ of the relative effective context length, and its first c."""


def in_segments(inputs: Inputs) -> Numbers:
    """Up to where context lowers the Transformer-XL's loss, as a multiple of L: where the mean gets flat, and by RECL."""
    found: Numbers = {}
    for size, preset in PRESETS.items():
        record = context_record.read(inputs.folder / preset, inputs.weights(size))
        L, curve = record.facts["trained"]["xl"], record.facts["curves"]["xl"]
        found["segment_length"] = L
        found[f"flat_{size}"] = curve["flat"] / L
        found[f"low_{size}"], found[f"high_{size}"] = (end / L for end in curve["flat_low_high"])
        for r, length in _recl(record).items():
            found[f"recl_{100 * r:.0f}_{size}"] = length / L
        xl = inputs.model(size, "xl")
        found[f"reach_{size}"] = xl.config.n_layers * xl.config.mem_len / L
        found |= limits(record, xl, size)
    return found


def _recl(record: context_record.ContextRecord) -> dict[float, int]:
    """The Transformer-XL's, in the group of both models, by r."""
    rows = [record.contexts.index(c) for c in range(STEP, record.contexts[-1] + 1, STEP)]
    contexts = [record.contexts[row] for row in rows]
    trained = record.facts["trained"]["vanilla"]
    capped = [record.contexts.index(min(c, trained)) for c in contexts]  # the vanilla model was trained with no more
    losses = {"xl": record.losses["xl"][rows], "vanilla": record.losses["vanilla"][capped]}
    return {r: effective_contexts(losses, contexts, r)["xl"].length for r in SHARES}


def judge_in_segments(numbers: Mapping[str, Any]) -> Verdict:
    """Is what is used 4 to 8 segments, in both models; or in one, or by another measure, or within its uncertainty?"""
    low, high = CLAIMED
    flat = [low <= numbers[f"flat_{size}"] <= high for size in PRESETS]
    band = [numbers[f"low_{size}"] <= high and numbers[f"high_{size}"] >= low for size in PRESETS]
    recl = [low <= numbers[f"recl_{100 * r:.0f}_{size}"] <= high for r in SHARES for size in PRESETS]
    return graded(all(flat), any([*flat, *band, *recl]))


def vanilla(inputs: Inputs) -> Numbers:
    """Every token of the first segment is replaced, one after the other; and the loss given exactly c tokens, c up to L."""
    found: Numbers = {}
    for size, preset in PRESETS.items():
        model = inputs.model(size, "vanilla")
        L = model.config.segment_length
        plain = losses_with(model, inputs.text)[L + 1 :]  # of the tokens that later segments predict
        changed = 0
        for place in range(L):
            other = (model.inputs(inputs.text)[place] + 1) % model.tokenizer.vocab_size
            swapped = losses_with(model, inputs.text, place=place, token=other)[L + 1 :]
            changed += int((swapped.view(np.int32) != plain.view(np.int32)).sum())
        facts = context_record.read(inputs.folder / preset, inputs.weights(size)).facts
        contexts = [c for c in facts["contexts"] if c <= L]
        means = facts["curves"]["vanilla"]["mean"][: len(contexts)]
        found |= {
            f"replaced_{size}": L,
            f"predictions_{size}": len(plain),
            f"changed_{size}": changed,
            f"flat_{size}": context_record.flattens(means, contexts),
            f"losses_{size}": means,
        }
        found["contexts"], found["mean_context"] = contexts, (L + 1) / 2
        found["segment_length"] = L
    return found


def judge_vanilla(numbers: Mapping[str, Any]) -> Verdict:
    """Is nothing used beyond the segment, and all of it within?"""
    if any(numbers[f"changed_{size}"] for size in PRESETS):
        return NOT
    whole = all(numbers[f"flat_{size}"] == numbers["segment_length"] for size in PRESETS)
    return HOLDS if whole else CONDITIONS


_RECORDS = tuple(f"measure context {preset}" for preset in PRESETS.values())
CLAIMS = (
    Claim(4, in_segments, judge_in_segments, live=True, made_by=_RECORDS),
    Claim(10, vanilla, judge_vanilla, live=True, made_by=_RECORDS),
)
