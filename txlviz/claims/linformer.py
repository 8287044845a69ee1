"""Claim 20: does Linformer's quality fall on long text?"""

from __future__ import annotations

import statistics
from collections.abc import Mapping
from typing import Any

from txlviz.claims.claim import Claim, Numbers, Verdict, graded
from txlviz.claims.inputs import PRESETS, Inputs
from txlviz.recorded import significant

SIZE, FILE = "2l", "landscape/linformer.json"
FALL = 0.05
"""Of the accuracy (0 to 1): less counts as none."""
RANKS = (32, 128)


def long_text(inputs: Inputs) -> Numbers:
    """Accuracy on the lookup task against n, means over seeds; and the share of trained attention that rank k misses.

    Read from the record: the models are trained for it.
    """
    record = inputs.beside(FILE, SIZE)
    runs, rank = record["lookup"]["runs"], record["rank"]
    lengths = [stage["n"] for stage in runs[0]["stages"]]
    found: Numbers = {"lengths": lengths, "chance": record["lookup"]["chance"], "seeds": len({run["seed"] for run in runs})}
    for name, k in (("full", None), *((f"k{k}", k) for k in RANKS)):
        chosen = [[stage["accuracy"] for stage in run["stages"]] for run in runs if run["rank"] == k]
        found[f"accuracy_{name}"] = [significant(statistics.mean(at_n)) for at_n in zip(*chosen, strict=True)]
    found["text_lengths"] = rank["lengths"]
    for k in RANKS:
        found[f"missed_k{k}"] = [significant(100 * row[rank["ranks"].index(k)]) for row in rank["lost"]]
    return found


def judge(numbers: Mapping[str, Any]) -> Verdict:
    """Does the accuracy fall with n, below its own and below full attention's, for each k; or for some?"""
    full = numbers["accuracy_full"]

    def falls(k: int) -> bool:
        first, *_, last = numbers[f"accuracy_k{k}"]
        return bool(first - last > FALL and full[-1] - last > FALL)

    return graded(all(map(falls, RANKS)), any(map(falls, RANKS)))


CLAIMS = (Claim(20, long_text, judge, made_by=(f"measure linformer {PRESETS[SIZE]}",)),)
