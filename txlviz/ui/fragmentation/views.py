"""What a prediction can see: the vanilla model in training and in evaluation, and the Transformer-XL, from their masks."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from txlviz.analysis.seen import Seen, seen
from txlviz.figures import fragmentation_masks as masks
from txlviz.ui import models
from txlviz.ui.chart import chart
from txlviz.ui.fragmentation.words import colours, label, labels, prose
from txlviz.ui.session import Settings

_EIGHT, _FOUR = 8, 4
_WAYS = ("train", "window", "xl")


def draw(settings: Settings, inputs: Sequence[str]) -> None:
    """Three matrices side by side, of eight tokens in segments of four or of the whole text."""
    words, shades = labels(), colours()
    options = {"eight": words["seen_eight"], "own": words["seen_own"].format(L=settings.segment_length)}
    choice = st.segmented_control(
        words["seen_choice"],
        options,
        default="eight",
        required=True,
        format_func=options.__getitem__,
        key="seen",
        persist_state="session",
        label_visibility="collapsed",
    )
    eight = choice == "eight"
    n = min(_EIGHT, len(inputs)) if eight else len(inputs) - 1
    L, M = (_FOUR, min(_FOUR, settings.memory_length)) if eight else (settings.segment_length, settings.memory_length)
    n_layers = models.checkpoint(settings.preset, "xl").config.n_layers
    for column, way in zip(st.columns(3, gap="medium"), _WAYS, strict=True):
        shade = shades["xl" if way == "xl" else "vanilla"]
        figure, facts, title = _matrix(way, tuple(inputs[:n]), L, M, n_layers, shade, shades["line"])
        with column:
            chart(figure, facts, title=title, name=f"seen-{way}", alt=words["seen_alt"], key=f"seen_{way}")
    st.caption(prose("seen_note"))


@lru_cache(maxsize=64)  # a moved cut changes nothing here
def _matrix(
    way: str, tokens: tuple[str, ...], L: int, M: int, n_layers: int, colour: str, line: str
) -> tuple[go.Figure, pd.DataFrame, str]:
    words, n = labels(), len(tokens)
    found: Seen
    if way == "xl":
        found = seen(n, L, M, n_layers=n_layers, recurrent=True)
    else:
        found = seen(n, L, stride=1 if way == "window" else None)
    names = {
        masks.OWN: words["seen_window" if way == "window" else "seen_own_segment"],
        masks.REMEMBERED: words["seen_memory"],
        masks.REACHED: words["seen_reach"],
    }
    figure = masks.mask(tokens, found.own, found.direct, found.reach, colour=colour, line=line, names=names)
    pairs = found.pairs_per_token
    shown = f"{pairs:,.1f}" if pairs < 100 else f"{pairs:,.0f}"
    title = label(f"seen_title_{way}", context=float(found.context.mean()), pairs=shown, M=M)
    return figure, masks.mask_facts(tokens, found.own, found.direct, found.reach), title
