"""Claim 19: which pairs of tokens sparse attention loses, and after how many layers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from txlviz.analysis.landscape import lost_by_distance, lost_pairs
from txlviz.claims.claim import CONDITIONS, HOLDS, NOT, Claim, Numbers, Verdict
from txlviz.claims.inputs import Inputs
from txlviz.models.attentions import Settings
from txlviz.recorded import significant

SPARSE = ("longformer-causal", "longformer", "bigbird")
"""The causal form is our own construction, not the paper's language model (``attentions/longformer.py``)."""
TOKENS, FAR, LAYERS = 512, 64, (1, 2, 4, 8)


def pairs(inputs: Inputs) -> Numbers:
    """The share of pairs of a token and one more than 64 before it that no path of N layers joins, in a text of 512 tokens."""
    settings = Settings()
    found: Numbers = {"tokens": TOKENS, "far": FAR, "layers": list(LAYERS), "window": settings.window, "block": settings.block}
    found["pairs"] = sum(TOKENS - distance for distance in range(FAR + 1, TOKENS))
    for name in SPARSE:
        lost = lost_by_distance(name, TOKENS, settings, max(LAYERS))
        far = lost_pairs(lost, FAR + 1)
        found[f"lost_{name}"] = [significant(100 * float(far[layers - 1])) for layers in LAYERS]
        for layers, title in ((1, "nearest"), (max(LAYERS), "left")):
            at = np.flatnonzero(lost[layers - 1])
            found[f"{title}_{name}"] = int(at[0]) if len(at) else None
    return found


def judge_pairs(numbers: Mapping[str, Any]) -> Verdict:
    """Are distant pairs lost in one layer, and still after four, in every one of the systems?"""
    at = {layers: [numbers[f"lost_{name}"][n] for name in SPARSE] for n, layers in enumerate(numbers["layers"])}
    if not all(lost > 0 for lost in at[1]):
        return NOT
    return HOLDS if all(lost > 0 for lost in at[4]) else CONDITIONS


CLAIMS = (Claim(19, pairs, judge_pairs, live=True),)
