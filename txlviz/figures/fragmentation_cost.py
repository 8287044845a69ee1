"""The bill of attention against the length of the text: formulas as lines, measured points, both axes logarithmic."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import pandas as pd
import plotly.graph_objects as go

from txlviz.figures.fragmentation import upright

WAYS = {"whole": "Whole text", "fused": "Whole, fused", "segments": "Segments", "xl": "Transformer-XL"}
_DASHES = {"whole": "dash", "fused": "dot", "segments": "solid", "xl": "solid"}
_SYMBOLS = {"whole": "square", "fused": "diamond-open", "segments": "triangle-up", "xl": "circle"}
LENGTH, WAY, KIND = "Tokens n", "Way", "From"
COUNTED, MEASURED = "counted", "measured"


def cost(facts: pd.DataFrame, value: str, n_tokens: int, colours: Mapping[str, str], height: int = 320) -> go.Figure:
    """Lines through what was counted, points where it was measured, and a rule at the viewer's own text.

    Args:
        facts: columns ``LENGTH``, ``WAY`` (names of ``WAYS``), ``KIND`` (``COUNTED`` or ``MEASURED``), and ``value``.
        value: name of the column to draw, with its unit.
        colours: ``xl``, ``vanilla``, ``line``.
    """
    figure = go.Figure()
    counted = COUNTED in set(facts[KIND])
    for way, name in WAYS.items():
        of_way = facts[facts[WAY] == name]
        lines, points = of_way[of_way[KIND] == COUNTED], of_way[of_way[KIND] == MEASURED]
        colour = colours["xl" if way == "xl" else "vanilla"]
        line: dict[str, Any] = {"color": colour, "width": 2, "dash": _DASHES[way]}
        if len(lines):
            figure.add_trace(_trace(lines, value, name, COUNTED, mode="lines", line=line))
        if len(points):
            marker = {"symbol": _SYMBOLS[way], "size": 9, "color": colour}
            mode = "markers" if counted else "markers+lines"
            shown = not (counted and len(lines))  # a way that has a line stands in the legend already
            made = _trace(points, value, name, MEASURED, mode=mode, line=line, marker=marker)
            figure.add_trace(made.update(showlegend=shown))
    figure.update_layout(shapes=[upright(n_tokens, colours["line"])])
    powers = range(4, 18)
    low, high = (math.log10(edge) for edge in (facts[LENGTH].min() / 1.15, facts[LENGTH].max() * 1.15))
    names = [f"{2**power:,}" if power % 2 == 0 else "" for power in powers]
    figure.update_xaxes(
        type="log", title=LENGTH, range=(low, high), tickvals=[2**power for power in powers], ticktext=names, tickangle=0
    )
    figure.update_yaxes(type="log", title=value, dtick=1, exponentformat="power")
    legend = {"orientation": "h", "x": 0, "y": 1.02, "yanchor": "bottom"}
    figure.update_layout(height=height, showlegend=True, legend=legend, margin={"l": 10, "r": 10, "t": 60, "b": 10})
    return figure


def _trace(facts: pd.DataFrame, value: str, name: str, kind: str, **style: Any) -> go.Scatter:
    hover = f"{name}, n = %{{x:,}}<br>%{{y:,.4~g}} ({kind})<extra></extra>"
    return go.Scatter(x=facts[LENGTH], y=facts[value], name=name, hovertemplate=hover, **style)
