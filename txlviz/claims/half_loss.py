"""Claim 27: do absolute encodings need the loss on the second half of each segment? From the landscape's recorded runs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from txlviz.claims.claim import Claim, Numbers, Verdict, graded
from txlviz.claims.inputs import Inputs
from txlviz.claims.length import ABSOLUTE, RELATIVE
from txlviz.recorded import significant

READING = "stride_32"
"""Windows of 64 moved by 32, scored on the second half: as the half loss is trained, so every token has 32 before it."""


def half_or_full(inputs: Inputs) -> Numbers:
    """Perplexity per word of each encoding, trained with either loss, read alike; and what the half loss changes."""
    found: Numbers = {}
    for encoding in (*ABSOLUTE, *RELATIVE):
        full, half = (inputs.landscape_perplexity(f"{encoding}-{loss}", READING) for loss in ("full", "half"))
        found |= {
            f"full_{encoding}": significant(full),
            f"half_{encoding}": significant(half),
            f"change_{encoding}": significant(100 * (half / full - 1), 3),
        }
    changes = [found[f"change_{encoding}"] for encoding in RELATIVE]
    return found | {"least_relative": min(changes), "most_relative": max(changes)}


def judge(numbers: Mapping[str, Any]) -> Verdict:
    """Is every absolute encoding better with the half loss, and no relative one; or some absolute one?"""
    better = {encoding: numbers[f"change_{encoding}"] < 0 for encoding in (*ABSOLUTE, *RELATIVE)}
    absolute = [better[encoding] for encoding in ABSOLUTE]
    return graded(all(absolute) and not any(better[encoding] for encoding in RELATIVE), any(absolute))


_RUNS = " ".join(f"{encoding}-{loss}" for encoding in (*ABSOLUTE, *RELATIVE) for loss in ("full", "half"))
CLAIMS = (Claim(27, half_or_full, judge, live=True, made_by=(f"measure landscape --only {_RUNS}",)),)
