"""Recorded: the loss given exactly c tokens, and above it, on the same axis, how far each layer reaches with L and M."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from txlviz.analysis import context_record
from txlviz.analysis.context_record import ContextRecord
from txlviz.analysis.spans import memory_span
from txlviz.figures.effective_context import Curve, Reach, reach_and_loss, reach_and_loss_facts
from txlviz.recorded import RecordError
from txlviz.ui import models
from txlviz.ui.chart import chart
from txlviz.ui.effective_context.words import labels, prose, shades
from txlviz.ui.session import Settings

KINDS: tuple[models.Kind, ...] = ("xl", "vanilla")


def record(preset: str) -> ContextRecord | None:
    """The recording of these models. Where there is none of the weights shipped, the page says so."""
    folder = models.CHECKPOINTS / preset
    weights = tuple((kind, models.weights_hash(preset, kind)) for kind in KINDS)
    try:
        return _read(folder, models.stamp(folder / context_record.FACTS), weights)
    except RecordError as error:
        st.info(prose("missing"))
        st.code(models.record_problem(preset, context_record.FACTS, error), language=None, wrap_lines=True)
        return None


def draw(settings: Settings, found: ContextRecord) -> None:
    """The figure, and what it says in numbers."""
    words, facts = labels(), found.facts
    reached = reaches(models.checkpoint(settings.preset, "xl").config.n_layers, settings.segment_length, settings.memory_length)
    trained = facts["trained"]["vanilla"]
    left, right = st.columns([2.6, 1], gap="large")
    with left:
        chart(
            *_drawn(found, tuple(reached), shades()),
            title=words["context_title" if reached[-2].most >= facts["curves"]["xl"]["flat"] else "context_title_short"],
            name=f"effective-context-{settings.preset}-L{settings.segment_length}-M{settings.memory_length}",
            alt=words["context_alt"],
            key="context",
        )
    xl = facts["curves"]["xl"]
    with right:
        st.markdown(prose("formula"), help=prose("formula_note"))
        st.markdown(
            prose(
                "recorded",
                L=settings.segment_length,
                M=settings.memory_length,
                reach=reached[-2].most,
                flat=xl["flat"],
                flat_low=xl["flat_low_high"][0],
                flat_high=xl["flat_low_high"][1],
                last=found.contexts[-1],
                tolerance=facts["flat_tolerance"],
            )
        )
        st.markdown(prose("recorded_vanilla", mean=reached[-1].mean, trained=trained, ahead=_ahead(found)))
        st.caption(prose("source", targets=facts["targets"]))


@lru_cache(maxsize=64)  # a swapped token or another way of change leaves it as it is
def _drawn(
    found: ContextRecord, reached: tuple[Reach, ...], shade: tuple[tuple[str, str], ...]
) -> tuple[go.Figure, pd.DataFrame]:
    words, trained = labels(), found.facts["trained"]["vanilla"]
    curves = [
        Curve(kind, words[f"curve_{kind}"], one["mean"], one["low"], one["high"], one["flat"])
        for kind in KINDS
        for one in [found.facts["curves"][kind]]
    ]
    figure = reach_and_loss(reached, curves, found.contexts, trained, dict(shade), words)
    return figure, reach_and_loss_facts(reached, curves, found.contexts, trained, words)


def _ahead(found: ContextRecord) -> str:
    """Where the Transformer-XL is the worse of the two, if it is so with the shortest contexts."""
    pairs = zip(*(found.facts["curves"][kind]["mean"] for kind in KINDS), strict=True)
    better = [xl < vanilla for xl, vanilla in pairs]
    if better[0] or True not in better:
        return ""
    return " " + prose("recorded_ahead", c=found.contexts[better.index(True)])


@st.cache_data(max_entries=256, show_spinner=False)
def reaches(n_layers: int, L: int, M: int) -> list[Reach]:
    """Tokens before the target within reach of each layer of the Transformer-XL, the first first, and of the vanilla model."""
    words = labels()
    spans = [(words["reach_layer"].format(layer=n + 1), "xl", span) for n, span in enumerate(memory_span(n_layers, L, M))]
    spans.append((words["reach_vanilla"], "vanilla", memory_span(1, L, 0)[0]))
    # A span counts from the place that predicts; that place itself is the first token before the target.
    return [Reach(name, kind, int(s.min()) + 1, float(s.mean()) + 1, int(s.max()) + 1) for name, kind, s in spans]


@lru_cache(maxsize=8)
def _read(folder: Path, stamp: int, weights: tuple[tuple[str, str | None], ...]) -> ContextRecord:
    """``stamp`` changes when the record is written anew."""
    return context_record.read(folder, dict(weights))
