"""What positions bring to the scores against the distance: the mean over a text, and its spread."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt
import pandas as pd
import plotly.graph_objects as go

from txlviz.figures.plain import dressed

Array = npt.NDArray[np.floating]


def by_distance(
    mean: Array,
    spread: Array | None,
    head: int,
    colour: str,
    words: Mapping[str, str],
    axis: str,
    height: int = 360,
) -> go.Figure:
    """Every head's curve in pale, the chosen one strong, with a band of one standard deviation; the past to the left.

    Args:
        mean: (H, T) by distance from 0; NaN where there is no pair.
        spread: (H, T) the standard deviation among the pairs of one distance; None: no band.
        head: the chosen one, from 0.
        axis: name of the values, with their unit.
    """
    distances = np.arange(mean.shape[1])
    figure, hover = go.Figure(), "<br>%{x} " + words["distance_hover"] + ": %{y:.3f}<extra></extra>"
    if spread is not None:
        low, high = mean[head] - spread[head], mean[head] + spread[head]
        figure.add_scatter(
            x=np.concatenate([distances, distances[::-1]]),
            y=np.concatenate([high, low[::-1]]).round(5),
            fill="toself",
            fillcolor=_pale(colour),
            line={"width": 0},
            mode="lines",
            name=words["distance_spread"],
            hoverinfo="skip",
        )
    for one in [*(n for n in range(len(mean)) if n != head), head]:
        figure.add_scatter(
            x=distances,
            y=mean[one].round(5),
            name=words["head_of"].format(one + 1) if one == head else words["distance_others"],
            legendgroup=str(one == head),
            showlegend=one == head or one == (1 if head == 0 else 0),
            mode="lines",
            line={"color": colour, "width": 3 if one == head else 1.2},
            opacity=1.0 if one == head else 0.35,
            hovertemplate=words["head_of"].format(one + 1) + hover,
        )
    figure.update_xaxes(title_text=words["distance_x"], range=[len(distances) - 0.5, -0.5], zeroline=False)
    figure.update_yaxes(title_text=axis, zeroline=True)
    return dressed(figure, height)


def facts(mean: Array, spread: Array | None, words: Mapping[str, str]) -> pd.DataFrame:
    """A row a distance, two columns a head."""
    columns: dict[str, Sequence[float]] = {words["distance_x"]: np.arange(mean.shape[1]).tolist()}
    for head in range(len(mean)):
        columns[words["head_of"].format(head + 1)] = mean[head].tolist()
        if spread is not None:
            columns[f"{words['head_of'].format(head + 1)}, {words['distance_spread']}"] = spread[head].tolist()
    return pd.DataFrame(columns)


def _pale(colour: str) -> str:
    red, green, blue = (int(colour[at : at + 2], 16) for at in (1, 3, 5))
    return f"rgba({red}, {green}, {blue}, 0.18)"
