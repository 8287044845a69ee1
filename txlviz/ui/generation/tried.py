"""What the attention lengths tried in this session cost a token."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from txlviz.figures import speed
from txlviz.ui import models
from txlviz.ui.chart import chart
from txlviz.ui.generation.run import KINDS, Run, Side
from txlviz.ui.generation.words import NAMES, colours, labels, prose

_TRIED = "sg_tried"
_MOST = 24  # attention lengths and models that are remembered

_HEADS = (
    "Attention length A (tokens)",
    "Model",
    "Milliseconds a token (median)",
    "Milliseconds a token (mean)",
    "Tokens",
    "Layers",
)


def remember(run: Run) -> None:
    """Remembers a run's two streams by their attention length."""
    tried: dict[tuple[str, int, str], Side] = st.session_state.setdefault(_TRIED, {})
    for kind in KINDS:
        if run.sides[kind].median is not None:
            tried[run.asked.preset, run.asked.attention_length, kind] = run.sides[kind]
    while len(tried) > _MOST:
        tried.pop(next(iter(tried)))


def growth(run: Run) -> dict[str, str]:
    """How many times as long a token takes as with half the attention length, where that was tried."""
    tried: dict[tuple[str, int, str], Side] = st.session_state.get(_TRIED, {})
    half, found = run.asked.attention_length // 2, {}
    for kind in KINDS:
        now, before = run.sides[kind].median, tried.get((run.asked.preset, half, kind))
        if now is not None and before is not None and before.median:
            found[kind] = labels()["growth"].format(factor=f"{now / before.median:.2g}", half=f"{half:,}")
    return found


def times(preset: str) -> None:
    """The chart: milliseconds a token at each attention length."""
    tried: dict[tuple[str, int, str], Side] = st.session_state.get(_TRIED, {})
    layers = models.checkpoint(preset, "xl").config.n_layers
    rows = [
        (A, NAMES[kind], 1000 * side.median, 1000 * side.mean, len(side.tokens), layers)
        for (of, A, kind), side in sorted(tried.items(), key=lambda one: one[0][:2])
        if of == preset and side.median is not None and side.mean is not None
    ]
    if not rows:
        return
    facts = pd.DataFrame(rows, columns=list(_HEADS))
    chart(
        speed.by_length(facts, _HEADS[0], _HEADS[2], colours(), height=300),
        facts,
        title=prose("tried_title"),
        name="milliseconds-a-token",
        alt=prose("tried_alt"),
        key="sg_tried_chart",
    )
