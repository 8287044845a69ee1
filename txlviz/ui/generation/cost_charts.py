"""The three charts of what evaluation costs: by the clock, in FLOPs, and the ratio of the models."""

from __future__ import annotations

from typing import Any

import pandas as pd
import streamlit as st

from txlviz.analysis.eval_record import clock, dense, flops
from txlviz.analysis.eval_speed import PAPER
from txlviz.figures import speed
from txlviz.ui.chart import chart
from txlviz.ui.generation.words import NAMES, colours, labels

LENGTH, TIME, FLOPS, TIMES = (
    "Attention length (tokens)",
    "Milliseconds a scored token",
    "FLOPs a scored token",
    "Times as fast, or as few FLOPs",
)


def charts(sources: dict[str, list[dict[str, Any]]], points: list[dict[str, Any]]) -> None:
    """Time, FLOPs, and how many times as much the vanilla model takes.

    Args:
        sources: the points measured, by where they come from.
        points: those of one source, for what doesn't depend on the clock, and for the ratios.
    """
    words = labels()
    times = pd.DataFrame(
        [
            (
                one["attention_length"],
                NAMES[kind],
                source,
                1000 * one[f"{kind}_seconds"],
                1000 * one[f"{kind}_processor_seconds"],
            )
            for source, found in sources.items()
            for kind in NAMES
            for one in found
        ],
        columns=[LENGTH, speed.MODEL, speed.FROM, TIME, "Of them of the processor's time"],
    )
    counted = pd.DataFrame(
        [(one["attention_length"], NAMES[kind], one[f"{kind}_flops"]) for kind in NAMES for one in points],
        columns=[LENGTH, speed.MODEL, FLOPS],
    )
    ratios = (("by_clock", clock), ("by_flops", flops), ("by_dense", dense))
    rows = [(one["attention_length"], words[name], ratio(one)) for name, ratio in ratios for one in points]
    rows += [(length, words["by_paper"], float(times_as_fast)) for length, times_as_fast in PAPER.items()]
    ups = pd.DataFrame(rows, columns=[LENGTH, speed.FROM, TIMES])
    parts = (
        ("time", speed.by_length(times, LENGTH, TIME, colours(), 350), times),
        ("flops", speed.by_length(counted, LENGTH, FLOPS, colours(), 350), counted),
        ("times", speed.speed_up(ups, LENGTH, TIMES, colours(), 350), ups),
    )
    for column, (what, figure, facts) in zip(st.columns([1, 1, 1.15], gap="medium"), parts, strict=True):
        with column:
            chart(
                figure,
                facts,
                title=words[f"{what}_title"],
                name=f"evaluation-{what}",
                alt=words[f"{what}_alt"],
                key=f"sg_{what}",
            )
