"""The charts of the recorded runs: the ablation beside the paper's, longer segments, and windows moved by less."""

from __future__ import annotations

import math
from functools import lru_cache

import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from txlviz.analysis.landscape_record import LandscapeRecord
from txlviz.figures import landscape_quality as figures
from txlviz.ui import theme
from txlviz.ui.chart import chart
from txlviz.ui.landscape import paper
from txlviz.ui.landscape.words import ENCODINGS, label, labels, look, prose

ROWS = ("xl-recurrent", "shaw-recurrent", "xl", "shaw", "sinusoids", "learned", "rotary", "alibi", "none", "longformer")
ABSOLUTE = ("sinusoids", "learned")
Curve = tuple[float | None, ...]


def perplexity(record: LandscapeRecord, name: str) -> float | None:
    """Per word, read as it was trained."""
    return record.headline(name)["word_perplexity"] if name in record.runs else None


def ablation_facts(record: LandscapeRecord) -> dict[str, pd.DataFrame]:
    """``ours``, a row a run, and ``paper``, a row a model of its table that has a run beside it."""
    ours = [
        (row, half, found)
        for row in ROWS
        for half in (False, True)
        if (found := perplexity(record, f"{row}-{'half' if half else 'full'}")) is not None
    ]
    quoted = [(one.row, one.half, one.initial) for one in paper.TABLE_6 if one.row is not None]
    columns = [figures.ROW, figures.HALF, figures.PERPLEXITY]
    return {"ours": pd.DataFrame(ours, columns=columns), "paper": pd.DataFrame(quoted, columns=columns)}


def ablation(record: LandscapeRecord) -> None:
    facts = ablation_facts(record)
    runs = ("sinusoids-full", "sinusoids-half", "xl-full", "xl-recurrent-full")
    *plain, encoded, both = (perplexity(record, name) or math.nan for name in runs)
    falls = both < encoded < min(plain)  # whatever is missing isn't less than anything
    titles = {"ours": label("ablation_title" if falls else "ablation_title_open"), "paper": label("paper_title")}
    for column, (source, found) in zip(st.columns([1.25, 1], gap="large"), facts.items(), strict=True):
        if not len(found):
            continue
        rows = {row: label(f"row_{row}") for row in ROWS if row in set(found[figures.ROW])}
        named = found.assign(
            **{
                figures.ROW: found[figures.ROW].map(rows),
                figures.HALF: found[figures.HALF].map({False: label("loss_whole"), True: label("loss_half")}),
            }
        )
        heads = {figures.ROW: "table_system", figures.HALF: "paper_loss", figures.PERPLEXITY: "table_perplexity"}
        with column:
            chart(
                _ablation_figure(tuple(found.itertuples(index=False, name=None)), source, theme.ink()),
                named.rename(columns={head: label(key) for head, key in heads.items()}),
                title=titles[source],
                name=f"txlviz-ablation-{source}",
                alt=label("ablation_alt"),
                key=f"landscape_ablation_{source}",
            )
            if source == "paper":
                st.caption(prose("paper_quoted"))


# Figures are made once for what they show; a slider elsewhere on the page changes nothing in them.
@lru_cache(maxsize=8)
def _ablation_figure(points: tuple[tuple[str, bool, float], ...], source: str, ink: str) -> go.Figure:
    facts = pd.DataFrame(points, columns=[figures.ROW, figures.HALF, figures.PERPLEXITY])
    rows = {row: label(f"row_{row}") for row in ROWS if row in set(facts[figures.ROW])}
    looks = {row: look(_system(row)) for row in rows}
    return figures.ablation(facts, rows, looks, ink, label(f"axis_{source}"), labels())


@lru_cache(maxsize=8)
def _lengths_figure(tried: tuple[int, ...], curves: tuple[tuple[str, Curve], ...], trained: int, ink: str) -> go.Figure:
    names = {row: label(f"short_{row}") for row, _ in curves}
    looks = {names[row]: look(_system(row)) for row in names}
    dashed = [names[row] for row in names if row in ABSOLUTE]
    return figures.lengths(tried, {names[row]: losses for row, losses in curves}, trained, dashed, looks, ink, labels())


@lru_cache(maxsize=8)
def _strides_figure(moved: tuple[int, ...], losses: tuple[tuple[str, tuple[float, ...]], ...], _ink: str) -> go.Figure:
    looks = {label(f"short_{one}"): look(one) for one, _ in losses}
    return figures.strides(moved, {label(f"short_{one}"): values for one, values in losses}, looks, labels())


def lengths(record: LandscapeRecord) -> None:
    runs = {"xl-recurrent": "xl-recurrent-full", **{encoding: f"{encoding}-full" for encoding in ENCODINGS}}
    runs["longformer"] = "longformer-full"
    found = {row: record.runs[name]["by_length"] for row, name in runs.items() if name in record.runs}
    tried, trained = record.settings["lengths"], record.settings["segment_length"]
    names = {row: label(f"short_{row}") for row in found}
    chart(
        _lengths_figure(tuple(tried), tuple((row, tuple(losses)) for row, losses in found.items()), trained, theme.ink()),
        pd.DataFrame({"L": tried, **{f"{names[row]} ({label('nats')})": losses for row, losses in found.items()}}),
        title=label("length_title"),
        name="txlviz-lengths",
        alt=label("length_alt"),
        key="landscape_lengths",
    )
    st.caption(prose("length", tokens=record.settings["length_tokens"]))


def strides(record: LandscapeRecord) -> None:
    found = {encoding: record.runs[f"{encoding}-full"]["prefix"] for encoding in ENCODINGS if f"{encoding}-full" in record.runs}
    if not found:
        return
    moved = sorted((int(step) for step in next(iter(found.values()))["loss_by_stride"]), reverse=True)
    losses = {one: tuple(prefix["loss_by_stride"][str(step)] for step in moved) for one, prefix in found.items()}
    named = {f"{label(f'short_{one}')} ({label('nats')})": values for one, values in losses.items()}
    chart(
        _strides_figure(tuple(moved), tuple(losses.items()), theme.ink()),
        pd.DataFrame({label("stride_x"): moved, **named}),
        title=label("stride_title"),
        name="txlviz-windows",
        alt=label("stride_alt"),
        key="landscape_strides",
    )
    tokens = next(iter(found.values()))["tokens"]
    st.caption(prose("stride", tokens=tokens))


def _system(row: str) -> str:
    """The run of the row is the causal Longformer's."""
    return "longformer-causal" if row == "longformer" else row
