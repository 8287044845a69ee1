"""Figures in the folded parts of the Relative positions page: the table R, and what renumbering leaves."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from txlviz.figures.plain import dressed
from txlviz.figures.positions import Array, Words


def sinusoid_map(R: Array, scale: Sequence[str], words: Words) -> go.Figure:
    """R (K, D) for the distances 0 … K-1, the past to the left. ``scale`` are the diverging colours, evenly spaced."""
    stops = [[n / (len(scale) - 1), colour] for n, colour in enumerate(scale)]
    figure = go.Figure(
        go.Heatmap(
            z=R.T,
            zmin=-1,
            zmax=1,
            colorscale=stops,
            colorbar={"thickness": 12, "outlinewidth": 0, "tickvals": [-1, -0.5, 0, 0.5, 1]},
            hovertemplate="i − j = %{x}, " + words["sinusoids_column"] + " %{y}: %{z:.3f}<extra></extra>",
        )
    )
    figure.update_xaxes(title_text=words["sinusoids_x"], range=[len(R) - 0.5, -0.5], showgrid=False)
    figure.update_yaxes(title_text=words["sinusoids_y"], showgrid=False)
    return dressed(figure, 380)


def sinusoid_facts(R: Array, words: Words) -> pd.DataFrame:
    """A row a distance."""
    columns = {str(n): R[:, n] for n in range(R.shape[1])}
    return pd.DataFrame({words["curves_distance"]: np.arange(len(R)), **columns})


def renumbering(change: Array, left: Array, colour: str, words: Words) -> go.Figure:
    """Pairs of bars, before the first layer and after each: the size of the change, and the share of it that is left.

    ``change`` and ``left`` are (N + 1,), from 0 to 1 or more.
    """
    figure = go.Figure()
    for name, shares, fill in (("renumber_change", change, "rgba(0,0,0,0)"), ("renumber_left", left, colour)):
        figure.add_bar(
            x=100 * shares,
            y=_levels(len(left), words),
            name=words[name],
            orientation="h",
            marker={"color": fill, "line": {"color": colour, "width": 2}},  # hollow and full: a legend shows no opacity
            text=[f"{100 * share:.0f} %" for share in shares],
            textposition="outside",
            cliponaxis=False,
            hovertemplate="%{y}, %{fullData.name}: %{x:.1f}<extra></extra>",
        )
    figure.update_xaxes(title_text=words["renumber_x"], range=[0, max(108, 115 * float(np.nanmax([change, left])))])
    figure.update_yaxes(autorange="reversed", title_text=words["renumber_y"])
    return dressed(figure, 120 + 52 * len(left))


def renumbering_facts(change: Array, left: Array, words: Words) -> pd.DataFrame:
    """A row a level: the size of the change, and the share of it that is left."""
    return pd.DataFrame(
        {
            words["renumber_y"]: _levels(len(left), words),
            words["renumber_change"]: 100 * change,
            words["renumber_left"]: 100 * left,
        }
    )


def _levels(count: int, words: Words) -> list[str]:
    return [words["renumber_level_0"], *(words["renumber_level"].format(n=n) for n in range(1, count))]
