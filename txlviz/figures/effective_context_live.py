"""Distant context changed, and the gains behind the relative effective context length."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from txlviz.figures.plain import dressed, plain

Words = Mapping[str, str]
Colours = Mapping[str, str]


@dataclass(frozen=True)
class Line:
    """One line of ``by_distance``."""

    kind: str
    name: str
    change: Sequence[float]
    """(D,) nats."""
    one_token: bool = False
    """Of the selected token only, not a mean."""


def by_distance(distances: Sequence[int], lines: Sequence[Line], colours: Colours, words: Words) -> go.Figure:
    """Change in loss against d, on a logarithmic axis with the past to the left. A line may be shorter than the distances."""
    figure = go.Figure()
    for line in lines:
        name = plain(line.name)
        figure.add_scatter(
            x=list(distances[: len(line.change)]),
            y=list(line.change),
            name=name,
            mode="lines+markers",
            line={
                "color": colours[line.kind],
                "width": 1.5 if line.one_token else 3,
                "dash": "dot" if line.one_token else "solid",
            },
            marker={"size": 8, "symbol": "diamond-open" if line.one_token else "circle" if line.kind == "xl" else "square"},
            hovertemplate=f"{name}<br>{words['distance_hover']}<extra></extra>",
        )
    ends = [float(np.log10(distances[-1] * 1.12)), float(np.log10(distances[0] / 1.12))]
    ticks = {"tickvals": list(distances), "ticktext": [str(d) for d in distances]}
    figure.update_xaxes(title_text=words["distance_x"], type="log", range=ends, **ticks)
    figure.update_yaxes(title_text=words["distance_y"], zeroline=True, zerolinewidth=2)
    return dressed(figure, 360)


def by_distance_facts(distances: Sequence[int], lines: Sequence[Line], words: Words) -> pd.DataFrame:
    """A row a distance, a column a line."""
    facts: dict[str, Any] = {words["fact_d"]: list(distances)}
    for line in lines:
        rest = [None] * (len(distances) - len(line.change))
        facts[words["fact_change"].format(name=line.name)] = [*(float(value) for value in line.change), *rest]
    return pd.DataFrame(facts)


def gains(
    contexts: Sequence[int],
    by_paper: Mapping[str, Sequence[float]],
    in_mean: Mapping[str, Sequence[float]],
    threshold: float,
    colours: Colours,
    words: Words,
) -> go.Figure:
    """For each step from c to the next: the paper's gain (solid), and this model's own fall in perplexity (dotted), in percent.

    ``in_mean``: nats by which the mean loss falls.
    """
    figure = go.Figure()
    for kind in by_paper:
        for name, values, dash in (
            ("gain_paper", [100 * gain for gain in by_paper[kind]], "solid"),
            ("gain_mean", [100 * float(1 - np.exp(-fall)) for fall in in_mean[kind]], "dot"),
        ):
            full = words[name].format(name=words[kind])
            figure.add_scatter(
                x=list(contexts[:-1]),
                y=values,
                name=full,
                mode="lines+markers",
                line={"color": colours[kind], "width": 2.5 if dash == "solid" else 1.5, "dash": dash},
                marker={"size": 6, "symbol": "circle" if kind == "xl" else "square"},
                hovertemplate=f"{full}<br>{words['gain_hover']}<extra></extra>",
            )
    rule = {"type": "line", "xref": "paper", "x0": 0, "x1": 1, "y0": 100 * threshold, "y1": 100 * threshold}
    figure.add_shape({**rule, "line": {"width": 1.5, "dash": "dash", "color": colours["line"]}})
    figure.update_xaxes(title_text=words["gain_x"])
    figure.update_yaxes(title_text=words["gain_y"], zeroline=True)
    return dressed(figure, 320)


def gains_facts(
    contexts: Sequence[int], by_paper: Mapping[str, Sequence[float]], in_mean: Mapping[str, Sequence[float]], words: Words
) -> pd.DataFrame:
    """A row each step."""
    facts: dict[str, Any] = {words["fact_from"]: list(contexts[:-1]), words["fact_to"]: list(contexts[1:])}
    for kind in by_paper:
        facts[words["fact_gain"].format(name=words[kind])] = [100 * gain for gain in by_paper[kind]]
        facts[words["fact_fall"].format(name=words[kind])] = list(in_mean[kind])
    return pd.DataFrame(facts)
