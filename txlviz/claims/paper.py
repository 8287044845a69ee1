"""Claim 21: the paper's own figures. Nothing is measured here; WikiText-103 and models of that size don't fit on a laptop."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from txlviz.analysis.study import percent_lower
from txlviz.claims.claim import HOLDS, NOT, Claim, Numbers, Verdict
from txlviz.claims.inputs import Inputs
from txlviz.recorded import significant

OURS, BEFORE = 18.3, 20.5
"""Perplexity per word on WikiText-103, test: Transformer-XL Large, and Baevski and Auli 2018 (Dai et al. 2019, table 1)."""
OURS_SIZE, BEFORE_SIZE = 257, 247
"""Millions of parameters, from the same table."""


def quoted(inputs: Inputs) -> Numbers:
    """The two figures as printed, and by how much one is lower."""
    lower = significant(percent_lower(OURS, BEFORE), 3)
    return {"xl": OURS, "before": BEFORE, "lower": lower, "xl_size": OURS_SIZE, "before_size": BEFORE_SIZE}


def judge(numbers: Mapping[str, Any]) -> Verdict:
    """Is the printed figure below the best one before?"""
    return HOLDS if numbers["xl"] < numbers["before"] else NOT


CLAIMS = (Claim(21, quoted, judge, live=True, quoted=True),)
