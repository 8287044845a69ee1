"""What systems compute and keep against the length of the text: formulas as lines, measured points, both axes logarithmic."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

import pandas as pd
import plotly.graph_objects as go

from txlviz.figures.fragmentation import upright

SYSTEM, LENGTH, KIND = "System", "Tokens n", "From"
COUNTED, MEASURED, OWN = "formula", "measured", "formula, your text and sizes"
_FAINT = 0.6
_TIMES = {-6: "1 µs", -5: "10 µs", -4: "0.1 ms", -3: "1 ms", -2: "10 ms", -1: "0.1 s", 0: "1 s", 1: "10 s", 2: "100 s"}


@dataclass(frozen=True)
class Look:
    """How a system is drawn in every figure."""

    colour: str
    symbol: str
    dash: str = "solid"


def cost(
    facts: pd.DataFrame,
    value: str,
    looks: Mapping[str, Look],
    strong: Collection[str],
    line: str,
    n_tokens: int | None = None,
    *,
    seconds: bool = False,
    height: int = 420,
) -> go.Figure:
    """Lines through what was counted, points where it was measured, stars at the viewer's own text.

    Args:
        facts: columns ``SYSTEM`` (names of ``looks``), ``LENGTH``, ``KIND`` (``COUNTED``, ``MEASURED`` or ``OWN``), ``value``.
        value: name of the column to draw, with its unit.
        strong: the systems that stand out; all others are pale.
        line: colour of rules and letters.
        n_tokens: the length of the viewer's text, which gets a rule.
        seconds: whether the axis is one of time: ``10 ms`` rather than ``10m``.
    """
    traces: list[dict[str, Any]] = []
    known = facts[facts[value].notna() & (facts[value] > 0)]
    for (name, kind), rows in known.groupby([SYSTEM, KIND], sort=False):
        picked, look = name in strong, looks[name]
        if kind == OWN and not picked:
            continue
        alone = kind == MEASURED and not ((known[SYSTEM] == name) & (known[KIND] == COUNTED)).any()
        marker: dict[str, Any] = {"symbol": look.symbol, "size": 10 if picked else 7, "color": look.colour}
        if kind == OWN:
            marker |= {"symbol": "star", "size": 15, "line": {"width": 1, "color": line}}
        traces.append(
            {
                "type": "scatter",
                "x": rows[LENGTH].tolist(),
                "y": rows[value].tolist(),
                "name": name,
                "legendgroup": name,
                "showlegend": kind == COUNTED or alone,
                "mode": "lines" if kind == COUNTED else "markers+lines" if alone else "markers",
                "line": {"color": look.colour, "width": 3.2 if picked else 1.6, "dash": look.dash},
                "marker": marker,
                "opacity": 1.0 if picked else _FAINT,
                "hovertemplate": f"{name}, n = %{{x:,}}<br>%{{y:,.4~s}} ({kind})<extra></extra>",
            }
        )
    low, high = math.log10(facts[LENGTH].min() / 1.2), math.log10(facts[LENGTH].max() * 1.2)
    powers = range(6, 14)  # every second one is named, so that a telephone has room
    names = [f"{2**power:,}" if power % 2 == 0 or power == powers[-1] else "" for power in powers]
    ticks = {"tickvals": [2**power for power in powers], "ticktext": names, "tickangle": 0}
    amounts: dict[str, Any] = {"dtick": 1, "tickformat": "~s", "exponentformat": "SI"}
    if seconds:
        amounts = {"tickvals": [10.0**power for power in _TIMES], "ticktext": list(_TIMES.values())}
    layout = {
        "xaxis": {"type": "log", "title": {"text": LENGTH}, "range": (low, high), **ticks},
        "yaxis": {"type": "log", "title": {"text": value}, **amounts},
        "shapes": [] if n_tokens is None else [upright(n_tokens, line)],
        **below(height),
    }
    return go.Figure({"data": traces, "layout": layout})


def below(height: int) -> dict[str, Any]:
    """A layout with the legend under the axis, where it takes nothing of a narrow figure's width."""
    legend = {"orientation": "h", "x": 0, "xanchor": "left", "yref": "container", "y": 0.01, "yanchor": "bottom"}
    return {
        "height": height,
        "legend": {**legend, "traceorder": "normal", "font": {"size": 12}},
        "margin": {"l": 10, "r": 10, "t": 10, "b": 10},
        "hovermode": "closest",
        "showlegend": True,
    }
