"""Quality at the same budget: the ablation beside the paper's, longer segments than trained, and windows moved by less."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import pandas as pd
import plotly.graph_objects as go

from txlviz.figures.landscape_cost import Look, below
from txlviz.figures.plain import dressed

OURS, PAPER = "ours", "paper"
ROW, SOURCE, HALF, PERPLEXITY, NAME = "row", "source", "half", "perplexity", "name"


def ablation(
    facts: pd.DataFrame,
    rows: Mapping[str, str],
    looks: Mapping[str, Look],
    line: str,
    axis: str,
    words: Mapping[str, str],
) -> go.Figure:
    """Perplexity as dots, a row a system: filled with the loss on all of a segment, open with the loss on its second half.

    Args:
        facts: columns ``ROW`` (keys of ``rows``), ``HALF``, ``PERPLEXITY``.
        rows: key to name, from the top.
        looks: of each row; ``line`` is the colour of letters.
        axis: name of the values.
    """
    figure = go.Figure()
    for half in (False, True):
        points = facts[facts[HALF] == half]
        shades = [looks[row].colour for row in points[ROW]]
        name = words["loss_half" if half else "loss_whole"]
        figure.add_scatter(
            x=points[PERPLEXITY],
            y=[rows[row] for row in points[ROW]],
            mode="markers+text",
            marker={"size": 13, "color": shades, "symbol": "circle-open" if half else "circle"}
            | {"line": {"width": 2.5, "color": shades}},
            text=[f"{value:.1f}" for value in points[PERPLEXITY]],
            textposition=[_side(facts, row, value) for row, value in zip(points[ROW], points[PERPLEXITY], strict=True)],
            textfont={"size": 12, "color": line},
            cliponaxis=False,
            showlegend=False,
            hovertemplate="%{y}, " + name + ": %{x:.2f}<extra></extra>",
        )
        # in the legend the dot has the colour of no system
        marker = {"size": 12, "symbol": "circle-open" if half else "circle", "color": line, "line": {"width": 2.5}}
        figure.add_scatter(x=[None], y=[None], mode="markers", marker=marker, name=name)
    low, high = float(facts[PERPLEXITY].min()), float(facts[PERPLEXITY].max())
    room = 0.2 * max(high - low, 0.5)
    figure.update_xaxes(range=(low - room, high + room), title=axis, nticks=6, tickangle=0)
    order = list(rows.values())
    figure.update_yaxes(categoryorder="array", categoryarray=order[::-1], range=(-0.6, len(order) - 0.4), ticksuffix=" ")
    figure.update_yaxes(automargin=True, showgrid=True)
    figure = dressed(figure, 34 * len(order) + 100)
    return figure.update_layout(margin={"l": 10, "r": 24, "t": 40, "b": 10})


def _side(part: pd.DataFrame, row: str, value: float) -> str:
    """Where the number of a dot stands: away from the other dot of its row."""
    return "middle left" if (part[part[ROW] == row][PERPLEXITY] > value).any() else "middle right"


def lengths(
    tried: Sequence[int],
    curves: Mapping[str, Sequence[float | None]],
    trained: int,
    dashed: Sequence[str],
    looks: Mapping[str, Look],
    line: str,
    words: Mapping[str, str],
    height: int = 400,
) -> go.Figure:
    """Loss against segment length, one line a model.

    Args:
        curves: name to a loss for each length; None where the model can't be run.
        trained: L in training, which gets a marked line.
        dashed: the names whose line is dashed beyond it.
        looks: of each name; ``line`` is the colour of rules.
    """
    figure = go.Figure()
    for name, losses in curves.items():
        known = [(length, loss) for length, loss in zip(tried, losses, strict=True) if loss is not None]
        within = [point for point in known if name not in dashed or point[0] <= trained]
        beyond = [point for point in known if name in dashed and point[0] >= trained]
        for points, dash, shown in ((within, "solid", True), (beyond, "dash", False)):
            if not points:
                continue
            figure.add_scatter(
                x=[length for length, _ in points],
                y=[loss for _, loss in points],
                name=name,
                legendgroup=name,
                showlegend=shown,
                mode="lines+markers",
                line={"color": looks[name].colour, "width": 2.5, "dash": dash},
                marker={"size": 8, "symbol": looks[name].symbol, "color": looks[name].colour},
                hovertemplate=f"{name}<br>L = %{{x}}: %{{y:.3f}} {words['nats']}<extra></extra>",
            )
    rule = {"dash": "dot", "width": 1.5, "color": line}
    figure.add_shape(type="line", x0=trained, x1=trained, yref="paper", y0=0, y1=1, line=rule)
    said = words["length_trained"].format(trained=trained)
    at = math.log10(trained)  # on a log axis annotations count in powers of ten, shapes don't
    figure.add_annotation(x=at, yref="paper", y=1, xanchor="left", yanchor="top", xshift=6, text=said, showarrow=False)
    ends = [math.log10(tried[0] * 0.93), math.log10(tried[-1] * 1.07)]
    figure.update_xaxes(title_text=words["length_x"], type="log", range=ends, tickangle=0)
    figure.update_xaxes(tickvals=list(tried), ticktext=[str(n) if n & (n - 1) == 0 else "" for n in tried], minor={"ticks": ""})
    figure.update_yaxes(title_text=words["length_y"])
    return figure.update_layout(below(height))


def strides(
    moved: Sequence[int],
    losses: Mapping[str, Sequence[float]],
    looks: Mapping[str, Look],
    words: Mapping[str, str],
    height: int = 400,
) -> go.Figure:
    """Loss of the same models against the step of their window: segments, half of one, one token; smaller to the right."""
    figure = go.Figure()
    names = [words[f"stride_{step}"] if f"stride_{step}" in words else str(step) for step in moved]
    for name, values in losses.items():
        figure.add_scatter(
            x=names,
            y=list(values),
            name=name,
            mode="lines+markers",
            line={"color": looks[name].colour, "width": 2.5},
            marker={"size": 9, "symbol": looks[name].symbol, "color": looks[name].colour},
            hovertemplate=f"{name}<br>%{{x}}: %{{y:.3f}} {words['nats']}<extra></extra>",
        )
    figure.update_xaxes(title_text=words["stride_x"], type="category", range=(-0.25, len(names) - 0.75))
    figure.update_yaxes(title_text=words["length_y"])
    return figure.update_layout(below(height))
