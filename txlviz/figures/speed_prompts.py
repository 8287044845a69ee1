"""The prompt library in one picture: the right word's probability with and without its mention, a line each text."""

from __future__ import annotations

import math
from collections.abc import Mapping

import pandas as pd
import plotly.graph_objects as go

TEXT, MODEL, WITH, WITHOUT = "Text", "Model", "P(word), mentioned (%)", "P(word), mention replaced (%)"


def dumbbells(facts: pd.DataFrame, models: Mapping[str, str], colours: Mapping[str, str], row: int = 21) -> go.Figure:
    """For each text and model an open mark (the mention replaced), a filled one (the mention in place), and a line between.

    Args:
        facts: columns ``TEXT``, ``MODEL``, ``WITH`` and ``WITHOUT``; texts from top to bottom in their order.
        models: ``xl`` and ``vanilla`` to the name in ``MODEL`` that is drawn in that colour.
        row: height of a text, in pixels.
    """
    figure = go.Figure()
    names = list(dict.fromkeys(facts[TEXT]))
    shown = facts[facts[MODEL].isin(models.values())]
    for kind, shift in (("vanilla", 0.2), ("xl", -0.2)):
        rows = shown[shown[MODEL] == models[kind]]
        heights = [names.index(name) + shift for name in rows[TEXT]]
        x: list[float | None] = []
        y: list[float | None] = []
        for one, other, height in zip(rows[WITH], rows[WITHOUT], heights, strict=True):
            x += [one, other, None]
            y += [height, height, None]
        line = {"color": colours[kind], "width": 2}
        figure.add_scatter(x=x, y=y, mode="lines", line=line, hoverinfo="skip", showlegend=False)
        for column, symbol, said in ((WITHOUT, "circle-open", "replaced"), (WITH, "circle", "in place")):
            figure.add_scatter(
                x=rows[column],
                y=heights,
                mode="markers",
                name=f"{models[kind]}: mention {said}",
                marker={"symbol": symbol, "size": 9, "color": colours[kind], "line": {"width": 1.5}},
                customdata=list(zip(rows[TEXT], rows[WITH], rows[WITHOUT], strict=True)),
                hovertemplate=f"%{{customdata[0]}}<br>{models[kind]}<br>mentioned %{{customdata[1]:.3~g}} %"
                "<br>replaced %{customdata[2]:.3~g} %<extra></extra>",
            )
    low = math.floor(math.log10(min(shown[WITH].min(), shown[WITHOUT].min())))
    high = math.log10(max(shown[WITH].max(), shown[WITHOUT].max())) + 0.2
    ticks = list(range(2, low - 1, -2))
    figure.update_xaxes(
        type="log",
        title="Probability of the right word (%)",
        range=(low, high),
        tickangle=0,
        tickvals=[10.0**tick for tick in ticks],
        ticktext=[f"{10.0**tick:g}" if tick >= -3 else f"10<sup>{tick}</sup>".replace("-", "−") for tick in ticks],
    )
    figure.update_yaxes(range=(len(names) - 0.4, -0.6), tickvals=list(range(len(names))), ticktext=names, automargin=True)
    return figure.update_layout(
        height=row * len(names) + 130,
        margin={"l": 10, "r": 10, "t": 60, "b": 10},
        hovermode="closest",
        legend={"orientation": "h", "x": 0, "y": 1.01, "yanchor": "bottom"},
    )
