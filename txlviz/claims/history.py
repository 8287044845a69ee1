"""Claims 28 and 29: what became of it. Other people's models are no matter of measurement; what their papers say is listed.

Sources: Yang et al. 2019 (XLNet), section 2.4; Rae et al. 2020 (Compressive Transformer), abstract; Brown et al. 2020 (GPT-3),
section 2.1; Chowdhery et al. 2022 (PaLM), section 2; Le Scao et al. 2022 (BLOOM), section 3.2.3; Touvron et al. 2023 (LLaMA),
section 2.2.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from txlviz.claims.claim import HISTORY, Claim, Numbers, Verdict
from txlviz.claims.inputs import Inputs
from txlviz.claims.paper import OURS

LATER: dict[str, tuple[int, bool]] = {
    "XLNet": (2019, True),
    "Compressive Transformer": (2020, True),
    "GPT-3": (2020, False),
    "PaLM": (2022, False),
    "BLOOM": (2022, False),
    "LLaMA": (2023, False),
}
"""By model: its year, and whether states of earlier segments are carried on, as in the Transformer-XL."""
SURPASSED = 17.1
"""Perplexity per word of the Compressive Transformer on WikiText-103, test (Rae et al. 2020, abstract)."""


def standard(inputs: Inputs) -> Numbers:
    """What the next model of its kind scored on its own benchmark, and how many of the later ones named have recurrence."""
    return {"xl": OURS, "later": SURPASSED, **_counts()}


def basis(inputs: Inputs) -> Numbers:
    """Which of the later models named have its recurrence."""
    names = {has: [f"{name} ({year})" for name, (year, it) in LATER.items() if it == has] for has in (True, False)}
    return {"with_recurrence": names[True], "without": names[False], **_counts()}


def _counts() -> Numbers:
    return {"models": len(LATER), "with_it": sum(it for _, it in LATER.values())}


def judge(numbers: Mapping[str, Any]) -> Verdict:
    """No number settles it."""
    return HISTORY


CLAIMS = (
    Claim(28, standard, judge, live=True, history=True),
    Claim(29, basis, judge, live=True, history=True),
)
