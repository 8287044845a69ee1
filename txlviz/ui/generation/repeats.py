"""How much both continuations repeat themselves."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import pandas as pd

from txlviz.analysis.repetition import distinct_n, repeated_4_grams, repeated_tokens
from txlviz.figures import speed
from txlviz.ui.chart import chart
from txlviz.ui.generation.run import KINDS, Run
from txlviz.ui.generation.words import NAMES, colours, labels, prose


def repetition(run: Run) -> None:
    """Distinct-n and repetition, as bars."""
    words = labels()
    measures: dict[str, Callable[[list[int]], float | None]] = {
        **{words["distinct"].format(n=n): partial(distinct_n, n=n) for n in range(1, 5)},
        words["repeated_grams"]: repeated_4_grams,
        words["repeated_tokens"]: repeated_tokens,
    }
    rows: list[tuple[Any, ...]] = [
        (name, NAMES[kind], measure(run.sides[kind].tokens), len(run.sides[kind].tokens))
        for name, measure in measures.items()
        for kind in KINDS
    ]
    facts = pd.DataFrame(rows, columns=["Measure", "Model", "Share (0 to 1)", "Tokens"])
    chart(
        speed.repetition(facts, colours(), height=300),
        facts,
        title=prose("repetition_title"),
        name="repetition",
        alt=prose("repetition_alt"),
        key="sg_repetition",
    )
