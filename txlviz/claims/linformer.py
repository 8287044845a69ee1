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
SEEDS = 3
"""At least so many runs of each, or the claim can't hold without conditions."""


def long_text(inputs: Inputs) -> Numbers:
    """Accuracy on the lookup task against n, mean and spread over seeds; and the share of trained attention that rank k misses.

    Read from the record: the models are trained for it. A record of runs with a fixed number of steps says nothing of whether
    they had learned what they can: they count as not converged.
    """
    record = inputs.beside(FILE, SIZE)
    runs, rank = record["lookup"]["runs"], record["rank"]
    lengths = [stage["n"] for stage in runs[0]["stages"]]
    found: Numbers = {
        "lengths": lengths,
        "chance": record["lookup"]["chance"],
        "seeds": len({run["seed"] for run in runs}),
        "stages": sum(len(run["stages"]) for run in runs),
        "converged": sum(bool(stage.get("converged")) for run in runs for stage in run["stages"]),
    }
    for name, k in (("full", None), *((f"k{k}", k) for k in RANKS)):
        chosen = [[stage["accuracy"] for stage in run["stages"]] for run in runs if run["rank"] == k]
        for what, of in (("accuracy", statistics.mean), ("lowest", min), ("highest", max)):
            found[f"{what}_{name}"] = [significant(of(at_n)) for at_n in zip(*chosen, strict=True)]
    found["text_lengths"] = rank["lengths"]
    for k in RANKS:
        found[f"missed_k{k}"] = [significant(100 * row[rank["ranks"].index(k)]) for row in rank["lost"]]
    return found


def judge(numbers: Mapping[str, Any]) -> Verdict:
    """Does the accuracy fall with n, below its own and below full attention's, for each k; or for some?

    In every seed, after training to convergence, with three seeds at least; or in the means.
    """

    def falls(k: int, high: str, low: str) -> bool:
        last = numbers[f"{high}_k{k}"][-1]
        return bool(numbers[f"{low}_k{k}"][0] - last > FALL and numbers[f"{low}_full"][-1] - last > FALL)

    sure = numbers["converged"] == numbers["stages"] and numbers["seeds"] >= SEEDS
    in_all = all(falls(k, "highest", "lowest") for k in RANKS)
    return graded(sure and in_all, any(falls(k, "accuracy", "accuracy") for k in RANKS))


CLAIMS = (Claim(20, long_text, judge, made_by=(f"measure linformer {PRESETS[SIZE]}",)),)
