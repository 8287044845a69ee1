"""Figures of the Relative positions page: what heads make of distances, and what longer segments do to the loss."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt
import pandas as pd
import plotly.graph_objects as go

from txlviz.figures.plain import dressed

Array = npt.NDArray[np.float32]
Words = Mapping[str, str]


def curves(
    mean: Array,
    bias: Array,
    queries: npt.NDArray[np.int64],
    layer: int,
    head: int,
    colours: Mapping[str, str],
    words: Words,
) -> go.Figure:
    """Every head's curve in pale, the chosen one strong, and its (d) alone as a thin line; the past to the left.

    Args:
        mean: (N, H, K) (b) + (d) by distance, averaged over queries; ``bias`` (N, H, K) (d) alone.
        queries: (K,) how many queries each mean is over.
        layer, head: the chosen one, from 0.
        colours: of the Transformer-XL (``xl``), and of the term (d) (``d``).
        words: the labels ``curves_…``.
    """
    distances = np.arange(mean.shape[2])
    figure = go.Figure()
    others = [(n, h) for n in range(mean.shape[0]) for h in range(mean.shape[1]) if (n, h) != (layer, head)]
    gap = np.array([np.nan])
    hover = "%{fullData.name}<br>" + words["curves_hover"] + "<extra></extra>"
    if others:
        x = np.concatenate([np.append(distances, 0) for _ in others])
        y = np.concatenate([np.concatenate([mean[n, h], gap]) for n, h in others])
        names = [words["curves_head"].format(layer=n + 1, head=h + 1) for n, h in others for _ in range(len(distances) + 1)]
        figure.add_scatter(
            x=x,
            y=y.astype(np.float32),
            customdata=np.column_stack([names, np.concatenate([np.append(queries, 0) for _ in others]).astype(str)]),
            name=words["curves_others"],
            mode="lines",
            line={"color": colours["xl"], "width": 1},
            opacity=0.25,
            hovertemplate="%{customdata[0]}<br>" + words["curves_hover"] + "<extra></extra>",
        )
    counts = np.column_stack([np.full(len(distances), ""), queries.astype(str)])
    for name, values, colour, width in (("curves_mean", mean, "xl", 3), ("curves_bias", bias, "d", 1.5)):
        figure.add_scatter(
            x=distances,
            y=values[layer, head],
            customdata=counts,
            name=words[name],
            mode="lines",
            line={"color": colours[colour], "width": width},
            hovertemplate=hover,
        )
    figure.update_xaxes(title_text=words["curves_x"], range=[len(distances) - 0.5, -0.5], zeroline=False)
    figure.update_yaxes(title_text=words["curves_y"], zeroline=True)
    return dressed(figure, 360)


def curve_facts(mean: Array, bias: Array, queries: npt.NDArray[np.int64], layer: int, head: int, words: Words) -> pd.DataFrame:
    """The chosen head's numbers, a row a distance, and beside them every head's mean."""
    facts = {
        words["curves_distance"]: np.arange(mean.shape[2]),
        words["curves_queries"]: queries,
        words["curves_mean"]: mean[layer, head],
        words["curves_bias"]: bias[layer, head],
    }
    for n in range(mean.shape[0]):
        for h in range(mean.shape[1]):
            facts[words["curves_head"].format(layer=n + 1, head=h + 1)] = mean[n, h]
    return pd.DataFrame(facts)


def lengths(
    tried: Sequence[int],
    losses: Mapping[str, Sequence[float]],
    trained: int,
    memory: int,
    colours: Mapping[str, str],
    words: Words,
) -> go.Figure:
    """Loss against segment length: both models; the vanilla one dashed beyond what it was trained with.

    Args:
        tried: the lengths, rising.
        losses: ``vanilla``, ``xl`` (with ``memory``) and ``xl_no_memory``: a mean loss for each length.
        trained: L in training, which gets a marked line.
        colours: of ``xl`` and ``vanilla``.
    """
    within = [n for n, L in enumerate(tried) if trained >= L]
    beyond = [n for n, L in enumerate(tried) if trained <= L]
    parts = [
        ("length_vanilla_beyond", "vanilla", beyond, 3.0, "dash", "circle-open"),
        ("length_vanilla", "vanilla", within, 3.0, "solid", "circle"),
        ("length_xl_no_memory", "xl_no_memory", range(len(tried)), 1.5, "solid", "diamond"),
        ("length_xl", "xl", range(len(tried)), 3.0, "solid", "circle"),
    ]
    figure = go.Figure()
    for name, curve, places, width, dash, symbol in parts:
        colour = colours["vanilla" if curve == "vanilla" else "xl"]
        figure.add_scatter(
            x=[tried[n] for n in places],
            y=[losses[curve][n] for n in places],
            name=words[name].format(M=memory),
            mode="lines+markers",
            line={"color": colour, "width": width, "dash": dash},
            marker={"color": colour, "symbol": symbol, "size": 8},
            hovertemplate="%{fullData.name}<br>L = %{x}: %{y:.3f}" + f" {words['nats']}<extra></extra>",
        )
    line = {"dash": "dot", "width": 1.5, "color": colours["vanilla"]}
    figure.add_shape(type="line", x0=trained, x1=trained, yref="paper", y0=0, y1=1, line=line)
    said = words["length_trained"].format(trained=trained)
    at = math.log10(trained)  # on a log axis annotations count in powers of ten, shapes don't
    figure.add_annotation(x=at, yref="paper", y=1, xanchor="left", yanchor="top", xshift=6, text=said, showarrow=False)
    ends = [math.log10(min(trained, tried[0]) * 0.93), math.log10(tried[-1] * 1.07)]
    figure.update_xaxes(title_text=words["length_x"], type="log", range=ends)
    figure.update_xaxes(tickvals=list(tried), ticktext=[str(L) for L in tried], minor={"ticks": ""})
    figure.update_yaxes(title_text=words["length_y"])
    return dressed(figure, 360)


def length_facts(
    tried: Sequence[int], losses: Mapping[str, Sequence[float]], trained: int, memory: int, words: Words
) -> pd.DataFrame:
    """A row a length: the losses, and whether the vanilla model was trained with it."""
    return pd.DataFrame(
        {
            "L": list(tried),
            words["length_vanilla"]: losses["vanilla"],
            words["length_xl_no_memory"]: losses["xl_no_memory"],
            words["length_xl"].format(M=memory): losses["xl"],
            words["length_within"]: [words["yes"] if trained >= L else words["no"] for L in tried],
        }
    )
