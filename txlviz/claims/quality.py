"""Claims 1 and 8: how much better the Transformer-XL predicts, and whether a mention far back helps it."""

from __future__ import annotations

import statistics
from collections.abc import Mapping
from typing import Any

from txlviz.analysis import prompts
from txlviz.analysis.evaluate import evaluate
from txlviz.analysis.study import percent_lower
from txlviz.claims.claim import OPEN, Claim, Numbers, Verdict, graded
from txlviz.claims.inputs import PRESETS, Inputs
from txlviz.content import sections
from txlviz.recorded import significant

CLAIMED = (5.0, 10.0)
"""Per cent."""
MEMORIES = (16, 64, 256)
JUDGED = (64, 256)
"""M as long as a segment, and as the models' cards choose it."""
FAR = "xl 256"


def perplexity(inputs: Inputs) -> Numbers:
    """By how many per cent the Transformer-XL's perplexity on valid is lower, in segments of 64, by M."""
    found: Numbers = {}
    split = inputs.valid
    for size in PRESETS:
        vanilla = evaluate(inputs.model(size, "vanilla"), split.text, words=split.words)
        best = inputs.record(size, "study.json")["scores"]["valid"]["vanilla_best"]["token_perplexity"]
        found[f"vanilla_{size}"] = significant(vanilla.token_perplexity, 6)
        for M in MEMORIES:
            xl = evaluate(inputs.model(size, "xl"), split.text, memory_length=M, words=split.words)
            found[f"xl_m{M}_{size}"] = significant(xl.token_perplexity, 6)
            found[f"gain_m{M}_{size}"] = significant(percent_lower(xl.token_perplexity, vanilla.token_perplexity))
        found[f"word_gain_{size}"] = significant(percent_lower(xl.word_perplexity, vanilla.word_perplexity))
        found[f"best_gain_{size}"] = significant(percent_lower(xl.token_perplexity, best))
        counts = {kind: model.model.parameter_count() for kind, model in inputs.pair(size).items()}
        found[f"larger_{size}"] = significant(100 * (counts["xl"] / counts["vanilla"] - 1))
    return found


def judge_perplexity(numbers: Mapping[str, Any]) -> Verdict:
    """Are the gains in the range that is claimed, per token, against segments?"""
    low, high = CLAIMED
    inside = [low <= numbers[f"gain_m{M}_{size}"] <= high for M in JUDGED for size in PRESETS]
    return graded(all(inside), any(inside))


def coherence(inputs: Inputs) -> Numbers:
    """The prompt library: is the right word likelier where it was mentioned more than a segment back?"""
    library = prompts.parse(sections("prompts"))
    found: Numbers = {"texts": len(library)}
    for size in PRESETS:
        findings = [prompts.measure(inputs.model(size, "xl"), inputs.model(size, "vanilla"), one) for one in library]
        far = [one.chances[FAR] for one in findings]
        factors = [chance.mentioned / chance.replaced for chance in far]
        found["nearest"] = min(one.distance for one in findings)
        found["furthest"] = max(one.distance for one in findings)
        found[f"helped_{size}"] = sum(factor > 1 for factor in factors)
        found[f"vanilla_changed_{size}"] = sum(
            one.chances["vanilla"].mentioned != one.chances["vanilla"].replaced for one in findings
        )
        found[f"factor_{size}"] = significant(statistics.geometric_mean(factors))
        found[f"median_chance_{size}"] = significant(statistics.median(chance.mentioned for chance in far))
        found[f"factors_{size}"] = sorted((significant(factor) for factor in factors), reverse=True)
    return found


def judge_coherence(numbers: Mapping[str, Any]) -> Verdict:
    """Stays open whatever the numbers are: that a far mention is used isn't that a written text hangs together."""
    return OPEN


CLAIMS = (
    Claim(
        1,
        perplexity,
        judge_perplexity,
        needs_corpus=True,
        made_by=tuple(f"measure study {preset} losses" for preset in PRESETS.values()),
    ),
    Claim(8, coherence, judge_coherence),
)
