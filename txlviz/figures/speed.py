"""Speed in pictures: time and FLOPs against the attention length, the speed-up beside the paper's, and repetition."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import pandas as pd
import plotly.graph_objects as go

MODEL, FROM = "Model", "From"
_NAMES = {"xl": "Transformer-XL", "vanilla": "Vanilla"}
_TICKS = (64, 128, 256, 512, 1024, 2048, 4096)


def by_length(facts: pd.DataFrame, length: str, value: str, colours: Mapping[str, str], height: int = 320) -> go.Figure:
    """One line a model (and a source), both axes logarithmic.

    Args:
        facts: columns ``length``, ``MODEL`` (names of the models), ``value``, and where there is more than one, ``FROM``:
            the last of them is drawn solid, the others dotted.
        colours: of ``xl``, ``vanilla`` and ``line``.
    """
    figure = go.Figure()
    sources = list(dict.fromkeys(facts[FROM])) if FROM in facts else [""]
    for source in sources:
        of_source = facts[facts[FROM] == source] if source else facts
        last = source == sources[-1]
        for kind, name in _NAMES.items():
            rows = of_source[of_source[MODEL] == name]
            figure.add_scatter(
                x=rows[length],
                y=rows[value],
                name=f"{name}, {source}" if len(sources) > 1 else name,
                mode="lines+markers",
                line={"color": colours[kind], "width": 2.5 if last else 1.5, "dash": "solid" if last else "dot"},
                marker={
                    "size": 9 if last else 6,
                    "symbol": ("circle" if kind == "xl" else "square") + ("" if last else "-open"),
                },
                hovertemplate=f"{name} {source}<br>{length} %{{x:,}}<br>{value} %{{y:,.4~g}}<extra></extra>",
            )
    return _dressed(figure, facts[length], length, value, facts[value], height)


def speed_up(facts: pd.DataFrame, length: str, value: str, colours: Mapping[str, str], height: int = 340) -> go.Figure:
    """How many times as fast, by what.

    Args:
        facts: columns ``length``, ``FROM``, ``value``. The source that begins with "The paper" gets points only.
    """
    figure = go.Figure()
    styles = (
        {"color": colours["xl"], "width": 3},
        {"color": colours["line"], "width": 2, "dash": "dash"},
        {"color": colours["line"], "width": 1.5, "dash": "dot"},
    )
    for at, source in enumerate(dict.fromkeys(facts[FROM])):
        rows = facts[facts[FROM] == source]
        paper = str(source).startswith("The paper")
        style: dict[str, Any] = {"mode": "lines+markers" if at == 0 else "lines", "line": styles[at % 3]}
        if paper:
            marker = {"symbol": "diamond-open", "size": 11, "color": colours["vanilla"], "line": {"width": 2}}
            style = {"mode": "markers", "marker": marker}
        figure.add_scatter(
            x=rows[length],
            y=rows[value],
            name=str(source),
            hovertemplate=f"{source}<br>{length} %{{x:,}}<br>%{{y:,.4~g}} times<extra></extra>",
            **style,
        )
    return _dressed(figure, facts[length], length, value, facts[value], height)


def repetition(facts: pd.DataFrame, colours: Mapping[str, str], height: int = 300) -> go.Figure:
    """Bars from 0 to 1, a pair a measure. ``facts``: columns Measure, Model, Share (0 to 1), Tokens."""
    figure = go.Figure()
    for kind, name in reversed(_NAMES.items()):
        rows = facts[facts[MODEL] == name]
        figure.add_bar(
            y=rows["Measure"],
            x=rows["Share (0 to 1)"],
            name=name,
            orientation="h",
            marker={"color": colours[kind]},
            customdata=rows["Tokens"],
            hovertemplate=f"{name}<br>%{{y}}: %{{x:.3f}}, of %{{customdata}} tokens<extra></extra>",
        )
    figure.update_xaxes(range=(0, 1), title="Share (0 to 1)")
    figure.update_yaxes(autorange="reversed", automargin=True)
    return _sized(figure.update_layout(barmode="group", bargap=0.3), height, "reversed")


def _dressed(figure: go.Figure, xs: Any, length: str, value: str, ys: Any, height: int) -> go.Figure:
    low, high = math.log10(min(xs) / 1.2), math.log10(max(xs) * 1.2)
    names = [f"{tick:,}" for tick in _TICKS]
    figure.update_xaxes(type="log", title=length, range=(low, high), tickvals=_TICKS, ticktext=names, tickangle=0)
    bottom, top = math.log10(min(ys)) - 0.15, math.log10(max(ys)) + 0.15
    leads = (1, 2, 5) if top - bottom < 2 else (1,)
    ticks = [(lead, power) for power in range(-6, 16) for lead in leads]
    figure.update_yaxes(
        type="log",
        title=value,
        range=(bottom, top),
        tickvals=[lead * 10.0**power for lead, power in ticks],
        ticktext=[_short(lead, power) for lead, power in ticks],
    )
    return _sized(figure, height, "normal")


def _sized(figure: go.Figure, height: int, order: str) -> go.Figure:
    legend = {"orientation": "h", "x": 0, "y": 1.02, "yanchor": "bottom", "traceorder": order}
    return figure.update_layout(
        height=height, showlegend=True, legend=legend, margin={"l": 10, "r": 10, "t": 40, "b": 10}, hovermode="closest"
    )


def _short(lead: int, power: int) -> str:
    """A number of one digit as people write it: 0.02, 5, 1,000, 20 M, 1 G."""
    for least, sign in ((12, " T"), (9, " G"), (6, " M")):
        if power >= least:
            return f"{lead * 10 ** (power - least):,}{sign}"
    return f"{lead * 10**power:,}" if power >= 0 else f"{lead * 10.0**power:.{-power}f}"
