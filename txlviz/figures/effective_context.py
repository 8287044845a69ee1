"""Reach is not use: how far each layer could look back, and on the same axis how far the loss still falls."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd
import plotly.graph_objects as go

Words = Mapping[str, str]
Colours = Mapping[str, str]
Trace = dict[str, Any]

_LAYER_PIXELS = 20
_GAP = 0.05  # between bars and curves, a share of the height


@dataclass(frozen=True)
class Reach:
    """How many tokens before its target a layer's output can depend on, over the positions of a segment."""

    name: str
    kind: str
    """``xl`` or ``vanilla``: its colour."""
    least: int
    mean: float
    most: int


@dataclass(frozen=True)
class Curve:
    """Mean losses by context (context,) in nats, with a band."""

    kind: str
    name: str
    mean: Sequence[float]
    low: Sequence[float]
    high: Sequence[float]
    flat: int
    """The c from which on no longer context lowers the mean by much."""


def reach_and_loss(
    reaches: Sequence[Reach],
    curves: Sequence[Curve],
    contexts: Sequence[int],
    trained: int,
    colours: Colours,
    words: Words,
    height: int = 470,
) -> go.Figure:
    """Bars above, curves below, on one logarithmic axis of c, which grows to the right.

    A bar is solid up to where every position of a segment reaches, and pale up to where the last one does; a mark is the mean.
    ``vanilla`` is dashed beyond ``trained``, what it was trained with. ``colours``: xl, vanilla, line.
    """
    bars = 30 + _LAYER_PIXELS * len(reaches)
    share = bars / (height - 70)
    traces: list[Trace] = []
    for n, reach in enumerate(reversed(reaches)):  # the top layer on top
        traces += _bar(n, reach, colours[reach.kind], colours["line"], words)
    for curve in curves:
        traces += _curve(curve, contexts, trained, colours[curve.kind], words)
    furthest = max(*(reach.most for reach in reaches), *contexts)
    ticks = [2**power for power in range(furthest.bit_length() + 1)]
    axis = {
        "type": "log",
        "tickvals": ticks,
        "ticktext": [f"{tick:,}" for tick in ticks],
        "range": [-0.06, math.log10(furthest) + 0.06],
    }
    names = [reach.name for reach in reversed(reaches)]
    layers = {"tickvals": list(range(len(names))), "ticktext": names, "range": [-0.7, len(names) - 0.3], "showgrid": False}
    share = (30 + _LAYER_PIXELS * len(reaches)) / (height - 70) * (1 - _GAP)
    # All in one call: a figure that is built step by step takes several times as long, and this one follows the sliders.
    return go.Figure(
        traces,
        {
            "xaxis": {**axis, "anchor": "y", "matches": "x2", "showticklabels": False},
            "xaxis2": {**axis, "anchor": "y2", "title": {"text": words["context_x"]}},
            "yaxis": {**layers, "anchor": "x", "domain": [1 - share, 1]},
            "yaxis2": {"anchor": "x2", "domain": [0, 1 - share - _GAP], "title": {"text": words["context_y"]}},
            "height": height,
            "margin": {"l": 10, "r": 10, "t": 10, "b": 10},
            "hovermode": "closest",
            "legend": {"orientation": "h", "x": 0, "y": 1.02, "yanchor": "bottom"},
        },
    )


def reach_and_loss_facts(
    reaches: Sequence[Reach], curves: Sequence[Curve], contexts: Sequence[int], trained: int, words: Words
) -> pd.DataFrame:
    """A row each bar and each point of a curve."""
    rows: list[dict[str, object]] = [
        {
            words["fact_what"]: words["fact_reach"].format(name=reach.name),
            words["fact_least"]: reach.least,
            words["fact_mean_reach"]: round(reach.mean, 1),
            words["fact_most"]: reach.most,
        }
        for reach in reaches
    ]
    for curve in curves:
        for c, mean, low, high in zip(contexts, curve.mean, curve.low, curve.high, strict=True):
            beyond = words["fact_beyond"] if curve.kind == "vanilla" and c > trained else ""
            rows.append(
                {
                    words["fact_what"]: words["fact_loss"].format(name=curve.name),
                    words["fact_c"]: c,
                    words["fact_mean"]: mean,
                    words["fact_low"]: low,
                    words["fact_high"]: high,
                    words["fact_note"]: beyond,
                }
            )
    heads = ["what", "c", "mean", "low", "high", "note", "least", "mean_reach", "most"]
    return pd.DataFrame(rows, columns=[words[f"fact_{head}"] for head in heads])


def _bar(n: int, reach: Reach, colour: str, line: str, words: Words) -> list[Trace]:
    hover = words["reach_hover"].format(name=reach.name, least=reach.least, mean=reach.mean, most=reach.most)
    shared: Trace = {"xaxis": "x", "yaxis": "y", "showlegend": False}
    bars: list[Trace] = [
        {
            "x": [1, end] if end > 1 else [0.94, 1],
            "y": [n, n],
            "mode": "lines",
            "line": {"color": colour, "width": 12},
            "opacity": opacity,
            "hoverinfo": "skip",
        }
        for end, opacity in ((reach.most, 0.3), (reach.least, 1.0))
    ]
    # A line answers to the mouse at its ends only: points along the bar, unseen, answer everywhere.
    along = [round(reach.most ** (step / 24), 2) for step in range(25)]
    unseen: Trace = {"x": along, "y": [n] * 25, "mode": "markers", "opacity": 0}
    mark = {"symbol": "line-ns", "size": 12, "line": {"width": 2, "color": line}}
    mean: Trace = {"x": [reach.mean], "y": [n], "mode": "markers", "marker": mark}
    answers = [{**one, "hovertemplate": f"{hover}<extra></extra>"} for one in (unseen, mean)]
    return [{**shared, **one} for one in (*bars, *answers)]


def _curve(curve: Curve, contexts: Sequence[int], trained: int, colour: str, words: Words) -> list[Trace]:
    traces: list[Trace] = [
        {
            "x": [*contexts, *reversed(contexts)],
            "y": [*curve.high, *reversed(curve.low)],
            "fill": "toself",
            "fillcolor": _pale(colour),
            "line": {"width": 0},
            "hoverinfo": "skip",
            "showlegend": False,
            "mode": "lines",
        }
    ]
    within = [n for n, c in enumerate(contexts) if curve.kind != "vanilla" or c <= trained]
    parts = [(within, "solid", curve.name)]
    if curve.kind == "vanilla":
        beyond = [n for n, c in enumerate(contexts) if c >= trained]
        parts.append((beyond, "dash", words["curve_beyond"].format(name=curve.name, trained=trained)))
    for places, dash, name in parts:
        traces.append(
            {
                "x": [contexts[n] for n in places],
                "y": [curve.mean[n] for n in places],
                "customdata": [(curve.low[n], curve.high[n]) for n in places],
                "name": name,
                "mode": "lines+markers",
                "line": {"color": colour, "width": 2.5, "dash": dash},
                "marker": {"size": 5, "symbol": "circle" if curve.kind == "xl" else "square"},
                "hovertemplate": f"{name}<br>{words['curve_hover']}<extra></extra>",
            }
        )
    if curve.kind == "xl":
        traces.append(
            {
                "x": [curve.flat],
                "y": [curve.mean[contexts.index(curve.flat)]],
                "mode": "markers+text",
                "marker": {"size": 15, "color": colour, "symbol": "circle-open", "line": {"width": 3}},
                "text": [words["curve_flat"].format(c=curve.flat)],
                "textposition": "bottom left",
                "textfont": {"size": 14},
                "cliponaxis": False,
                "showlegend": False,
                "hoverinfo": "skip",
            }
        )
    return [{"xaxis": "x2", "yaxis": "y2", **trace} for trace in traces]


def _pale(colour: str) -> str:
    red, green, blue = (int(colour[at : at + 2], 16) for at in (1, 3, 5))
    return f"rgba({red}, {green}, {blue}, 0.18)"
