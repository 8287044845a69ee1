"""What each prediction can see: one matrix of places by places, from arrays that say where each place's view begins."""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import plotly.graph_objects as go

Places = npt.NDArray[np.integer[Any]]

MOST_CELLS = 96
"""Rows and columns drawn at most; of a longer text every second, third, … place is drawn."""
HIDDEN, REACHED, REMEMBERED, OWN = range(4)
_SHARES = {OWN: 1.0, REMEMBERED: 0.5, REACHED: 0.2}


def mask_facts(tokens: Sequence[str], own: Places, direct: Places, reach: Places) -> pd.DataFrame:
    """A row each place that predicts.

    Args:
        tokens: the inputs, the newline first.
        own: (place,) earliest input seen in the own segment or window.
        direct: the same with the memory's rows.
        reach: the same through all layers.
    """
    place = np.arange(len(own))
    return pd.DataFrame(
        {
            "Place that predicts": place,
            "Token there": list(tokens[: len(own)]),
            "Earliest input in its segment": own,
            "Earliest input seen by one layer": direct,
            "Inputs seen by one layer": place - direct + 1,
            "Earliest input through all layers": reach,
        }
    )


def classes(own: Places, direct: Places, reach: Places) -> npt.NDArray[np.uint8]:
    """(place, place): what the column's input is to the row's prediction, ``OWN`` to ``HIDDEN``."""
    j = np.arange(len(own))
    made = np.zeros((len(own), len(own)), dtype=np.uint8)
    for value, first in ((REACHED, reach), (REMEMBERED, direct), (OWN, own)):
        made[(j >= np.asarray(first)[:, None]) & (j <= j[:, None])] = value
    return made


def mask(
    tokens: Sequence[str],
    own: Places,
    direct: Places,
    reach: Places,
    *,
    colour: str,
    line: str,
    names: Mapping[int, str],
    height: int = 400,
) -> go.Figure:
    """The matrix: rows predict, from the top down; columns are the inputs, the past to the left.

    Args:
        colour: of the model, ``#rrggbb``; what is less direct is paler.
        line: of the axes and letters.
        names: what each class is called; classes that don't occur are left out of the legend.
    """
    kinds = classes(own, direct, reach)
    step = -(-len(kinds) // MOST_CELLS)
    drawn = np.arange(0, len(kinds), step)
    small = kinds[np.ix_(drawn, drawn)]
    shown = [html.escape(token) for token in tokens]  # Plotly reads its texts as a little HTML
    hover = np.array([[f"{shown[i]} at {i} · {shown[j]} at {j}<br>{names.get(k, '')}" for j, k in zip(drawn, row, strict=True)]
                      for i, row in zip(drawn, small, strict=True)])  # fmt: skip
    few = len(kinds) <= 16
    figure = go.Figure()
    for kind, share in _SHARES.items():
        if not (small == kind).any():
            continue
        fill = _faded(colour, share)
        figure.add_trace(
            go.Heatmap(
                z=np.where(small == kind, 1.0, np.nan),
                x=drawn,
                y=drawn,
                colorscale=[[0, fill], [1, fill]],
                showscale=False,
                text=hover,
                hovertemplate="%{text}<extra></extra>",
                hoverongaps=False,
                xgap=2 if few else 0,
                ygap=2 if few else 0,
            )
        )
        marker = {"symbol": "square", "size": 12, "color": fill}
        figure.add_trace(go.Scatter(x=[None], y=[None], mode="markers", marker=marker, name=names[kind]))
    ticks: dict[str, Any] = {"tickvals": drawn, "ticktext": shown[: len(drawn)]} if few else {}
    axis = {"color": line, "showgrid": False, "zeroline": False, "constrain": "domain", **ticks}
    ends = (drawn[0] - step / 2, drawn[-1] + step / 2)
    figure.update_xaxes(title="Input that is seen", range=ends, tickangle=-90 if few else 0, **axis)
    figure.update_yaxes(title="Place that predicts", range=ends[::-1], scaleanchor="x", **axis)
    figure.update_layout(
        height=height,
        showlegend=True,
        margin={"l": 10, "r": 10, "t": 36, "b": 10},
        legend={"orientation": "h", "x": 0, "y": 1.02, "yanchor": "bottom", "font": {"color": line}},
        plot_bgcolor="rgba(0,0,0,0)",
        paper_bgcolor="rgba(0,0,0,0)",
    )
    return figure


def _faded(colour: str, share: float) -> str:
    red, green, blue = (int(colour[at : at + 2], 16) for at in (1, 3, 5))
    return f"rgba({red},{green},{blue},{share})"
