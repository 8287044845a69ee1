"""Claim 6: segments longer than in training, for relative and for absolute positions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from txlviz.analysis.extrapolation import losses_by_length
from txlviz.claims.claim import CONDITIONS, HOLDS, NOT, Claim, Numbers, Verdict
from txlviz.claims.inputs import PRESETS, Inputs
from txlviz.recorded import significant

LENGTHS = (64, 128, 256, 512)
TOKENS = 60_000
RISE = 0.05
"""Nats by which the loss at the longest may lie above that at the trained length, and still go on as before."""
RELATIVE, ABSOLUTE = ("xl", "shaw", "rotary", "alibi"), ("sinusoids", "learned")


def longer(inputs: Inputs) -> Numbers:
    """Mean loss on the first tokens of valid in segments of 64 to 512: the shipped pairs, and one model for each encoding."""
    found: Numbers = {"lengths": list(LENGTHS), "tokens": TOKENS}
    for size in PRESETS:
        xl, vanilla = inputs.model(size, "xl"), inputs.model(size, "vanilla")
        text = xl.decode(xl.encode(inputs.valid.text)[:TOKENS])
        for name, source, M in (("xl", xl, None), ("xl_no_memory", xl, 0), ("vanilla", vanilla, None)):
            losses = losses_by_length(source, text, LENGTHS, M)
            found[f"{name}_{size}"] = [significant(loss) for loss in losses]
            found[f"rise_{name}_{size}"] = significant(losses[-1] - losses[0])
    for encoding in (*RELATIVE, *ABSOLUTE):
        source = inputs.variant(f"{encoding}-full")
        text = source.decode(source.encode(inputs.valid.text)[:TOKENS])
        trained = source.config.segment_length
        possible = [length for length in LENGTHS if encoding != "learned" or length <= trained]  # there is no 65th position
        losses = losses_by_length(source, text, possible)
        found[f"encoding_{encoding}"] = [significant(loss) for loss in losses] + [None] * (len(LENGTHS) - len(possible))
        found[f"rise_{encoding}"] = significant(losses[-1] - losses[0]) if len(possible) == len(LENGTHS) else None
    return found


def judge(numbers: Mapping[str, Any]) -> Verdict:
    """Do all relative encodings go on, and does no absolute one; or at least the Transformer-XL's?"""

    def goes_on(name: str) -> bool:
        rise = numbers[f"rise_{name}"]
        return rise is not None and rise <= RISE

    absolute = any(goes_on(name) for name in (*ABSOLUTE, *(f"vanilla_{size}" for size in PRESETS)))
    xl = all(goes_on(f"{name}_{size}") for name in ("xl", "xl_no_memory") for size in PRESETS) and goes_on("xl")
    if absolute or not xl:
        return NOT
    return HOLDS if all(goes_on(name) for name in RELATIVE) else CONDITIONS


CLAIMS = (
    Claim(
        6,
        longer,
        judge,
        needs_corpus=True,
        made_by=(f"measure landscape --only {' '.join(f'{encoding}-full' for encoding in (*RELATIVE, *ABSOLUTE))}",),
    ),
)
