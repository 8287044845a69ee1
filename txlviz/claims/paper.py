"""Claims 21, 24, 25 and 26: the paper's own figures. Nothing is measured: such corpora and models don't fit on a laptop."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from txlviz.analysis.paper import EQUAL_MEMORY, ONE_BILLION_WORD, RECL, RECL_SHARES
from txlviz.analysis.study import percent_lower
from txlviz.claims.claim import HOLDS, NOT, Claim, Numbers, Verdict, graded
from txlviz.claims.inputs import Inputs
from txlviz.recorded import significant

OURS, BEFORE = 18.3, 20.5
"""Perplexity per word on WikiText-103, test: Transformer-XL Large, and Baevski and Auli 2018 (Dai et al. 2019, table 1)."""
OURS_SIZE, BEFORE_SIZE = 257, 247
"""Millions of parameters, from the same table."""
LONGER_RNN, LONGER_VANILLA = 80, 450
"""Per cent by which the dependencies are longer, as the abstract rounds them, to tens."""


def state_of_the_art(inputs: Inputs) -> Numbers:
    """The two figures as printed, and by how much one is lower."""
    lower = significant(percent_lower(OURS, BEFORE), 3)
    return {"xl": OURS, "before": BEFORE, "lower": lower, "xl_size": OURS_SIZE, "before_size": BEFORE_SIZE}


def judge_state_of_the_art(numbers: Mapping[str, Any]) -> Verdict:
    """Is the printed figure below the best one before?"""
    return HOLDS if numbers["xl"] < numbers["before"] else NOT


def longer(inputs: Inputs) -> Numbers:
    """Relative effective context lengths as printed, by r, and by how many per cent the Transformer-XL's are longer."""
    found: Numbers = {"shares": list(RECL_SHARES), **{model: list(lengths) for model, lengths in RECL.items()}}
    rnn = [max(pair) for pair in zip(RECL["qrnn"], RECL["lstm"], strict=True)]
    found["longer_rnn"] = _longer(RECL["xl_151"], rnn)
    found["longer_vanilla"] = _longer(RECL["xl_128"], RECL["transformer"])
    return found


def _longer(ours: tuple[int, ...], others: list[int] | tuple[int, ...]) -> list[float]:
    return [significant(100 * (one / other - 1), 4) for one, other in zip(ours, others, strict=True)]


def judge_longer(numbers: Mapping[str, Any]) -> Verdict:
    """Are both as much longer, rounded as in the abstract: at every r, or at some?"""

    def as_claimed(r: int) -> bool:
        rnn, vanilla = (round(float(numbers[name][r]), -1) for name in ("longer_rnn", "longer_vanilla"))
        return rnn >= LONGER_RNN and vanilla >= LONGER_VANILLA

    each = [as_claimed(r) for r in range(len(numbers["shares"]))]
    return graded(all(each), any(each))


def short_dependencies(inputs: Inputs) -> Numbers:
    """Perplexities on shuffled sentences as printed: with recurrence, with Shaw et al.'s encoding, and without recurrence."""
    ours = ONE_BILLION_WORD["ours"]
    lower = {f"lower_{name}": significant(percent_lower(ours, ONE_BILLION_WORD[name]), 3) for name in ("no_recurrence", "shaw")}
    return {**ONE_BILLION_WORD, **lower}


def judge_short_dependencies(numbers: Mapping[str, Any]) -> Verdict:
    """Is the printed perplexity lower with recurrence than without?"""
    return HOLDS if numbers["ours"] < numbers["no_recurrence"] else NOT


def equal_memory(inputs: Inputs) -> Numbers:
    """The best perplexities at the same GPU memory as printed, and the lengths of backpropagation that fit."""
    found: Numbers = {}
    for name, (length, best, _, _) in EQUAL_MEMORY.items():
        found |= {f"{name}_length": length, f"{name}_best": best}
    for loss in ("full", "half"):
        ours, other = (found[f"{model}_{loss}_best"] for model in ("recurrence", "plain"))
        found[f"lower_{loss}"] = significant(percent_lower(ours, other), 3)
    return found


def judge_equal_memory(numbers: Mapping[str, Any]) -> Verdict:
    """Is it lower with recurrence: with both losses, or with one?"""
    lower = [numbers["lower_full"] > 0, numbers["lower_half"] > 0]
    return graded(all(lower), any(lower))


CLAIMS = (
    Claim(21, state_of_the_art, judge_state_of_the_art, live=True, quoted=True),
    Claim(24, longer, judge_longer, live=True, quoted=True),
    Claim(25, short_dependencies, judge_short_dependencies, live=True, quoted=True),
    Claim(26, equal_memory, judge_equal_memory, live=True, quoted=True),
)
