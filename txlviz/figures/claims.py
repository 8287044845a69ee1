"""The small pictures of the claims: what was measured, and the range that is claimed as a band behind it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd
import plotly.graph_objects as go

BY = "Of"
"""The column that tells the series apart."""
LOWEST, HIGHEST = "Lowest seed", "Highest seed"
"""The columns of a spread over seeds."""


@dataclass(frozen=True)
class Style:
    """How one series is drawn."""

    colour: str
    """``xl``, ``vanilla``, or ``line`` for what belongs to no model."""
    dash: str = "solid"
    symbol: str = "circle"
    points_only: bool = False


@dataclass(frozen=True)
class Claimed:
    """What is claimed, along the axis of the values."""

    low: float
    high: float
    """The same as ``low`` for a single value: a line."""
    label: str


def lines(
    facts: pd.DataFrame,
    x: str,
    y: str,
    styles: Mapping[str, Style],
    colours: Mapping[str, str],
    *,
    claimed: Claimed | None = None,
    log: str = "",
    ticks: Sequence[float] = (),
    height: int = 300,
) -> go.Figure:
    """One line a series.

    Args:
        facts: columns ``BY`` (names of ``styles``), ``x`` and ``y``; rows without a value are gaps. Where it has the columns
            ``LOWEST`` and ``HIGHEST`` too, a bar at each point shows the spread.
        log: the axes that are logarithmic: ``"x"``, ``"y"``, both, or none.
        ticks: of the axis x; none: as they come.
    """
    figure = go.Figure()
    for name, style in styles.items():
        rows = facts[facts[BY] == name]
        figure.add_scatter(
            x=rows[x],
            y=rows[y],
            error_y=_spread(rows, y, colours[style.colour]),
            name=name,
            mode="markers" if style.points_only else "lines+markers",
            line={"color": colours[style.colour], "width": 2, "dash": style.dash},
            marker={"color": colours[style.colour], "symbol": style.symbol, "size": 10 if style.points_only else 7},
            hovertemplate=f"{name}<br>{x}: %{{x:,.6~g}}<br>{y}: %{{y:,.4~g}}<extra></extra>",
        )
    figure.update_xaxes(title=x, type="log" if "x" in log else "linear", automargin=True, tickformat=",")
    figure.update_yaxes(title=y, type="log" if "y" in log else "linear", automargin=True, tickformat=",")
    if ticks:
        figure.update_xaxes(tickvals=list(ticks), ticktext=[f"{tick:,}" for tick in ticks], tickangle=0)
    if "y" in log:
        figure.update_yaxes(dtick=1, tickformat="~g")
    if claimed is not None:
        _mark(figure, claimed, colours, axis="y")
    return _dressed(figure, height, right=70 if claimed else 10)


def _spread(rows: pd.DataFrame, value: str, colour: str) -> dict[str, Any] | None:
    """From the lowest to the highest, as Plotly wants it: by how much they lie apart from the value."""
    if LOWEST not in rows:
        return None
    ends = {"array": rows[HIGHEST] - rows[value], "arrayminus": rows[value] - rows[LOWEST]}
    return {"type": "data", "symmetric": False, "color": colour, "thickness": 1.5, "width": 4, **ends}


def bars(
    facts: pd.DataFrame,
    what: str,
    value: str,
    styles: Mapping[str, Style],
    colours: Mapping[str, str],
    *,
    claimed: Claimed | None = None,
    height: int = 300,
) -> go.Figure:
    """Horizontal bars in groups, amounts to the right.

    Args:
        facts: columns ``what`` (the groups, top to bottom), ``BY`` (names of ``styles``) and ``value``; with ``LOWEST`` and
            ``HIGHEST`` the spread is drawn.
    """
    figure = go.Figure()
    for name, style in reversed(list(styles.items())):
        rows = facts[facts[BY] == name]
        figure.add_bar(
            y=rows[what],
            x=rows[value],
            error_x=_spread(rows, value, colours["line"]),
            name=name,
            orientation="h",
            marker={"color": colours[style.colour], "pattern": {"shape": "" if style.dash == "solid" else "/"}},
            opacity=1.0 if style.dash == "solid" else 0.75,
            hovertemplate=f"{name}<br>%{{y}}: %{{x:,.4~g}}<extra>{value}</extra>",
        )
    groups = list(dict.fromkeys(facts[what]))
    figure.update_xaxes(title=value, automargin=True, zeroline=True, zerolinecolor=colours["line"])
    figure.update_yaxes(categoryorder="array", categoryarray=groups[::-1], automargin=True, ticksuffix=" ")
    figure.update_layout(barmode="group", bargap=0.25)
    if claimed is not None:
        _mark(figure, claimed, colours, axis="x")
    return _dressed(figure, height, "reversed", above=1.12 if claimed else 1.02)


def _mark(figure: go.Figure, claimed: Claimed, colours: Mapping[str, str], axis: str) -> None:
    """A band, or a line where the claim is one value, with its name outside the plot: right of it, or above it."""
    other = "x" if axis == "y" else "y"
    logarithmic = getattr(figure.layout, f"{axis}axis").type == "log"
    shape: dict[str, Any] = {"type": "rect", f"{other}ref": "paper", f"{other}0": 0, f"{other}1": 1, "layer": "below"}
    shape |= {f"{axis}0": claimed.low, f"{axis}1": claimed.high}
    shape |= {"fillcolor": colours["line"], "opacity": 0.13, "line": {"width": 0}}
    if claimed.low == claimed.high:
        shape |= {"type": "line", "opacity": 0.8, "line": {"width": 1.5, "dash": "dash", "color": colours["line"]}}
    middle = (claimed.low + claimed.high) / 2
    # annotations take powers where shapes take values
    note: dict[str, Any] = {"text": claimed.label, "showarrow": False, axis: math.log10(middle) if logarithmic else middle}
    note |= {f"{other}ref": "paper", other: 1, "yanchor": "bottom" if axis == "x" else "middle"}
    note |= {"xanchor": "center"} if axis == "x" else {"xanchor": "left", "xshift": 5}
    figure.update_layout(shapes=[shape], annotations=[note])


def _dressed(figure: go.Figure, height: int, order: str = "normal", *, above: float = 1.02, right: int = 10) -> go.Figure:
    legend = {"orientation": "h", "x": 0, "y": above, "yanchor": "bottom", "traceorder": order}
    margin = {"l": 10, "r": right, "t": 30, "b": 10}
    return figure.update_layout(height=height, showlegend=True, legend=legend, margin=margin, hovermode="closest")
