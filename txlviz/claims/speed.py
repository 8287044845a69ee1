"""Claims 9, 12 and 18: what evaluation costs, how attention grows with the text, and what still runs in parallel."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np
import torch
from torch import Tensor

from txlviz.analysis import eval_record
from txlviz.analysis.attention_cost import attention_cost
from txlviz.analysis.attention_timing import WAYS, attention_point, fastest
from txlviz.analysis.eval_speed import PAPER
from txlviz.claims.claim import CONDITIONS, HOLDS, NOT, Claim, Numbers, Verdict
from txlviz.claims.inputs import PRESETS, Inputs
from txlviz.models import KeyValueCache, Memory, TransformerXL
from txlviz.recorded import significant

CLAIMED, LEAST = max(PAPER.values()), 10
TIMED = (512, 1024, 2048, 4096)
"""Tokens n, from twice the memory on, so that it is full for most of the text."""
BETWEEN = 1.5
"""A power of n above it is nearer to n² than to n, one below nearer to n."""
SAME = 1e-4
REPEATS = 5


def evaluation(inputs: Inputs) -> Numbers:
    """How many times as long the vanilla model takes for a scored token as the Transformer-XL, by attention length.

    From the record that the Speed page shows: the vanilla model reads a window of that length anew for each token, the
    Transformer-XL reads segments of 64 with as many cached rows.
    """
    found: Numbers = {}
    for size in PRESETS:
        record = inputs.record(size, eval_record.FILE)
        points = record["points"]
        times = [significant(eval_record.clock(point), 4) for point in points]
        flops = [significant(eval_record.flops(point)) for point in points]
        found |= {
            "lengths": [point["attention_length"] for point in points],
            "segment_length": record["segment_length"],
            f"times_{size}": times,
            f"flops_{size}": flops,
            f"longest_{size}": times[-1],
            f"longest_flops_{size}": flops[-1],
            f"trained_{size}": times[0],
            f"by_segment_{size}": significant(eval_record.by_segment(points[-1]), 3),
        }
    return found


def judge_evaluation(numbers: Mapping[str, Any]) -> Verdict:
    """Are the models here as many times as fast, or at least ten times?"""
    times = [numbers[f"longest_{size}"] for size in PRESETS]
    return HOLDS if min(times) >= CLAIMED else CONDITIONS if min(times) >= LEAST else NOT


def growth(inputs: Inputs) -> Numbers:
    """Time and memory of one attention layer and the pairs it scores, against the tokens n; and their powers of n."""
    xl, vanilla = inputs.model("4l", "xl"), inputs.model("4l", "vanilla")
    L, M = vanilla.config.segment_length, xl.config.mem_len
    ways = [way for way in WAYS if way in ("whole", "fused", "xl")]
    points = {way: [attention_point(xl, vanilla, way, n, L, M, repeats=7) for n in TIMED] for way in ways}
    found: Numbers = {"lengths": list(TIMED), "segment_length": L, "memory_length": M}
    for way, measured in points.items():
        found[f"seconds_{way}"] = [significant(point.seconds, 4) for point in measured]
        found[f"bytes_{way}"] = [point.peak_bytes for point in measured]
        found[f"slope_{way}"] = _power([point.seconds for point in measured])
        found[f"slope_bytes_{way}"] = _power([point.peak_bytes for point in measured])
    costs = {"whole": attention_cost(vanilla.config, TIMED[-1]), "xl": attention_cost(xl.config, TIMED[-1], L, M)}
    found |= {f"pairs_{way}": cost.entries for way, cost in costs.items()}
    found["pairs_bound"] = TIMED[-1] * (L + M)
    tried = range(L, TIMED[-1] + 1, L)
    cheaper = [n for n in tried if attention_cost(xl.config, n, L, M).flops < attention_cost(vanilla.config, n).flops]
    found["cheaper_from"] = min(cheaper)
    return found


def _power(values: list[float] | list[int]) -> float:
    """The power of n by which values at TIMED grow: the slope of the line through them in log-log."""
    return round(float(np.polyfit(np.log(TIMED), np.log(values), 1)[0]), 2)


def judge_growth(numbers: Mapping[str, Any]) -> Verdict:
    """Do the pairs and the measured times grow as is claimed, or only the pairs?"""
    if numbers["pairs_whole"] != numbers["lengths"][-1] ** 2 or numbers["pairs_xl"] > numbers["pairs_bound"]:
        return NOT
    return HOLDS if numbers["slope_xl"] < BETWEEN < numbers["slope_whole"] else CONDITIONS


@torch.inference_mode()
def parallel(inputs: Inputs) -> Numbers:
    """A segment of 64 with a full memory of 64: in one pass, and token by token from a cache that grows with it."""
    found: Numbers = {}
    for size in PRESETS:
        source = inputs.model(size, "xl")
        assert isinstance(source.model, TransformerXL)
        L, n = source.config.segment_length, len(source.encode(inputs.text))
        ids = torch.tensor([source.inputs(inputs.text)[: 2 * L]])
        memory = source.model.with_mem_len(L)(ids[:, :L]).memory
        growing = source.model.with_mem_len(2 * L)  # token p of the segment sees p + L tokens before it, as in the pass
        reading = partial(_read, growing, memory, ids[:, L:])
        seconds = {tokens: fastest(partial(reading, tokens), repeats=REPEATS, at_least=REPEATS) for tokens in (L, 1)}
        found |= {
            f"difference_{size}": significant(float((reading(L) - reading(1)).abs().max()), 3),
            f"times_{size}": significant(seconds[1] / seconds[L], 3),
        }
        found |= {"tokens": n, "passes": -(-n // L), "segment_length": L}
    return found


def _read(model: TransformerXL, memory: Memory, ids: Tensor, at_once: int) -> Tensor:
    """(B, L, D) hidden states of a segment, read so many tokens at a time."""
    cache = KeyValueCache(model, memory, at_most=at_once)
    return torch.cat([cache.step(piece) for piece in torch.split(ids, at_once, dim=1)], dim=1)


def judge_parallel(numbers: Mapping[str, Any]) -> Verdict:
    """Does one pass over a segment give what its tokens one by one give, in less time?"""
    if any(numbers[f"difference_{size}"] >= SAME for size in PRESETS):
        return NOT
    return HOLDS if all(numbers[f"times_{size}"] > 1 for size in PRESETS) else CONDITIONS


_TIMES = tuple(f"{what}_{way}" for what in ("seconds", "slope") for way in ("whole", "fused", "xl"))
CLAIMS = (
    Claim(9, evaluation, judge_evaluation, made_by=tuple(f"benchmark eval {preset}" for preset in PRESETS.values())),
    Claim(12, growth, judge_growth, by_clock=_TIMES),
    Claim(18, parallel, judge_parallel, live=True, by_clock=("times",)),
)
