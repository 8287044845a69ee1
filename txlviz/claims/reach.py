"""Claims 3, 13 and 16: how far back an output can reach, against what is used and against numbers that write-ups give."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from txlviz.analysis import context_record
from txlviz.analysis.paper import RECL, RECL_SHARES
from txlviz.analysis.span_growth import measured_span, span_ends
from txlviz.claims.claim import CONDITIONS, HOLDS, NOT, Claim, Numbers, Verdict, graded
from txlviz.claims.context_limit import limits
from txlviz.claims.inputs import PRESETS, Inputs

DEEPEST, LENGTH = 16, 64
TRIED, TRIED_LENGTH = 6, 8
"""Layers, and L = M, of the models with random weights in which tokens are replaced."""
SAME = (1.5, 2.5)
"""How far the ratio of 4 to 2 layers may lie from 2 and still count as proportional."""
CLAIMED_13 = (1280, 2048)
LAYERS_13 = tuple(range(4, 9))
CLAIMED_16 = (3000, 4000)
LAYERS_16 = tuple(range(12, 17))
LENGTHS_16 = (150, 256, 384, 512)
"""L = M in training: 150 and 384 as in the original code for WikiText-103 (16 and 18 layers), 512 as for enwik8 (12 layers)."""
PAPER_USED = RECL["xl_151"][RECL_SHARES.index(0.1)]
"""Relative effective context length of the 16-layer model, r = 0.1, in words (Dai et al. 2019, table 8)."""


def depth(inputs: Inputs) -> Numbers:
    """The span of 1 to 16 layers with L = M = 64, at the first position of a segment; and up to where context is used."""
    found: Numbers = {
        "spans": span_ends(DEEPEST, LENGTH, LENGTH)[:, 0].tolist(),
        "tried": TRIED,
        "agree": sum(measured_span(N, TRIED_LENGTH, TRIED_LENGTH).agrees for N in range(1, TRIED + 1)),
    }
    for size, n_layers in (("2l", 2), ("4l", 4)):
        M = inputs.model(size, "xl").config.mem_len
        record = context_record.read(inputs.folder / PRESETS[size], inputs.weights(size))
        curve = record.facts["curves"]["xl"]
        found[f"reach_{size}"] = int(span_ends(n_layers, LENGTH, M)[-1, 0])
        found[f"used_{size}"] = int(curve["flat"])
        found[f"used_low_{size}"], found[f"used_high_{size}"] = (int(end) for end in curve["flat_low_high"])
        found |= limits(record, inputs.model(size, "xl"), size)
    found["reach_ratio"] = found["reach_4l"] / found["reach_2l"]
    found["used_ratio"] = found["used_4l"] / found["used_2l"]
    return found


def judge_depth(numbers: Mapping[str, Any]) -> Verdict:
    """Does the reach grow in proportion to N, and does what is used?"""
    spans = numbers["spans"]
    linear = all(span == (n + 1) * spans[0] for n, span in enumerate(spans)) and numbers["agree"] == numbers["tried"]
    if not linear:
        return NOT
    return HOLDS if SAME[0] <= numbers["used_ratio"] <= SAME[1] else CONDITIONS


def segments_of_512(inputs: Inputs) -> Numbers:
    """The exact span for L = M = 512 and 4 to 8 layers, at a segment's first and last position; and L·N."""
    ends = span_ends(max(LAYERS_13), 512, 512)[[N - 1 for N in LAYERS_13]]
    none = span_ends(max(LAYERS_13), 512, 0)[[N - 1 for N in LAYERS_13]]
    one = span_ends(max(LAYERS_13), 512, 1)[[N - 1 for N in LAYERS_13]]
    return {
        "layers": list(LAYERS_13),
        "first": ends[:, 0].tolist(),
        "last": ends[:, 1].tolist(),
        "one_row": one[:, 0].tolist(),
        "no_memory_last": none[:, 1].tolist(),
        "length_times_depth": [512 * N for N in LAYERS_13],
    }


def judge_segments_of_512(numbers: Mapping[str, Any]) -> Verdict:
    """Which of the depths reach as far as is claimed, at the first position?"""
    low, high = CLAIMED_13
    inside = [low <= span <= high for span in numbers["first"]]
    return graded(all(inside), any(inside))


def deep_models(inputs: Inputs) -> Numbers:
    """The exact span of 12 to 16 layers for several L = M, at a segment's first position; and what the paper measured."""
    found: Numbers = {"layers": list(LAYERS_16), "paper_used": PAPER_USED}
    for length in LENGTHS_16:
        found[f"first_{length}"] = span_ends(max(LAYERS_16), length, length)[[N - 1 for N in LAYERS_16], 0].tolist()
    return found


def judge_deep_models(numbers: Mapping[str, Any]) -> Verdict:
    """Which settings reach as far as is claimed, and was as much found to be used?"""
    low, high = CLAIMED_16
    inside = [low <= span <= high for length in LENGTHS_16 for span in numbers[f"first_{length}"]]
    return graded(all(inside) and low <= numbers["paper_used"] <= high, any(inside))


CLAIMS = (
    Claim(3, depth, judge_depth, live=True, made_by=tuple(f"measure context {preset}" for preset in PRESETS.values())),
    Claim(13, segments_of_512, judge_segments_of_512, live=True),
    Claim(16, deep_models, judge_deep_models, live=True),
)
