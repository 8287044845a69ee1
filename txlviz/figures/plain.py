"""What the Plotly figures have in common."""

from __future__ import annotations

import html

import plotly.graph_objects as go


def dressed(figure: go.Figure, height: int) -> go.Figure:
    """What all have in common: a legend above, little margin, hover at the nearest point."""
    return figure.update_layout(
        height=height,
        margin={"l": 10, "r": 10, "t": 10, "b": 10},
        hovermode="closest",
        legend={"orientation": "h", "yanchor": "bottom", "y": 1.02, "x": 0, "traceorder": "reversed"},
    )


def plain(token: str) -> str:
    """A token for names and hover texts: Plotly reads markup in them, and fills in what stands after a percent sign."""
    return html.escape(token).replace("%", "&#37;").replace("{", "&#123;")
