"""The live figures of effective context: distant context changed, one token swapped, and the gains behind the RECL."""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import plotly.graph_objects as go

from txlviz.figures.plain import dressed

Array = npt.NDArray[np.floating[Any]]
Words = Mapping[str, str]
Colours = Mapping[str, str]

_CURVE = 24  # points of an arc
_PIXELS_PER_NAT, _WIDEST, _THINNEST = 3.0, 18.0, 1.2


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
        figure.add_scatter(
            x=list(distances[: len(line.change)]),
            y=list(line.change),
            name=html.escape(line.name),
            mode="lines+markers",
            line={
                "color": colours[line.kind],
                "width": 1.5 if line.one_token else 3,
                "dash": "dot" if line.one_token else "solid",
            },
            marker={"size": 8, "symbol": "diamond-open" if line.one_token else "circle" if line.kind == "xl" else "square"},
            hovertemplate=f"{html.escape(line.name)}<br>{words['distance_hover']}<extra></extra>",
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


def arcs(
    place: int,
    tokens: Sequence[str],
    changes: Mapping[str, Array],
    starts: Sequence[int],
    colours: Colours,
    words: Words,
    *,
    least: float,
    most_arcs: int,
) -> go.Figure:
    """Arcs from a swapped token forward to the predictions that it changes: the Transformer-XL's above, the vanilla's below.

    Args:
        place: of the swapped token.
        tokens: the inputs.
        changes: ``xl`` and ``vanilla``: (T,) nats by place, NaN where nothing can change.
        starts: places where segments start.
        colours: xl, vanilla and line.
        least: nats; smaller changes get no arc.
        most_arcs: of each model; its largest changes get them.
    """
    figure = go.Figure()
    for kind, side in (("xl", 1), ("vanilla", -1)):
        size = np.abs(np.nan_to_num(changes[kind]))
        order = [int(at) for at in np.argsort(-size, kind="stable") if size[at] >= least][:most_arcs]
        for at in sorted(order, reverse=True):
            value = float(changes[kind][at])
            turn = np.linspace(0, np.pi, _CURVE)
            figure.add_scatter(
                x=place + (at - place) * (1 - np.cos(turn)) / 2,
                y=side * np.sqrt(at - place) * np.sin(turn),
                mode="lines",
                line={
                    "color": colours[kind],
                    "width": min(_WIDEST, max(_THINNEST, _PIXELS_PER_NAT * abs(value))),
                    "dash": "solid" if value > 0 else "dot",
                },
                opacity=0.55,
                showlegend=False,
                name=words[kind],
                hovertemplate=_said(words, kind, tokens[at], at, value),
            )
        ends = {"symbol": "circle", "color": colours[kind], "size": [float(min(16, 5 + 2 * size[at])) for at in order]}
        figure.add_scatter(
            x=order,
            y=[side * 0.25] * len(order),
            mode="markers",
            name=words[f"arcs_{kind}"],
            marker=ends,
            hovertemplate=[_said(words, kind, tokens[at], at, float(changes[kind][at])) for at in order],
        )
    top = max(4.0, float(np.sqrt(len(tokens) - place)))
    here = {"symbol": "x", "size": 11, "color": colours["line"]}
    figure.add_scatter(x=[place], y=[0], mode="markers", name=words["arcs_here"], marker=here, hoverinfo="skip")
    line = {"type": "line", "yref": "paper", "y0": 0, "y1": 1, "line": {"width": 1.5, "dash": "dash", "color": colours["line"]}}
    cuts = [start - 0.5 for start in starts[1:]]
    figure.add_shape(type="line", x0=0, x1=len(tokens) - 1, y0=0, y1=0, line={"width": 1.5, "color": colours["line"]})
    sign = {
        "text": "SG",
        "showarrow": False,
        "xanchor": "left",
        "yanchor": "top",
        "yref": "paper",
        "y": 1,
        "font": {"size": 11},
    }
    figure.update_layout(
        shapes=[*figure.layout.shapes, *({**line, "x0": x, "x1": x} for x in cuts)],
        annotations=[*figure.layout.annotations, *({**sign, "x": x} for x in cuts[:40])],
    )
    figure.update_xaxes(title_text=words["arcs_x"], range=[-1, len(tokens)], zeroline=False, showgrid=False)
    figure.update_yaxes(visible=False, range=[-1.1 * top, 1.1 * top])
    return dressed(figure, 360)


def arcs_facts(place: int, tokens: Sequence[str], runs: Mapping[str, tuple[Array, Array]], words: Words) -> pd.DataFrame:
    """A row each later token: ``runs`` holds (before, after) of ``xl`` and ``vanilla``, (T,) nats by place."""
    later = range(place + 1, len(tokens))
    facts: dict[str, Any] = {words["fact_place"]: list(later), words["fact_token"]: [tokens[at] for at in later]}
    for kind, (before, after) in runs.items():
        facts[words["fact_before"].format(name=words[kind])] = before[place + 1 :]
        facts[words["fact_after"].format(name=words[kind])] = after[place + 1 :]
        facts[words["fact_change"].format(name=words[kind])] = (after - before)[place + 1 :]
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


def _said(words: Words, kind: str, token: str, place: int, value: float) -> str:
    """A hover text; Plotly reads markup in it, and fills in what stands after a percent sign."""
    shown = html.escape(token).replace("%", "&#37;").replace("{", "&#123;")
    return words["arcs_hover"].format(name=words[kind], token=shown, place=place, value=value) + "<extra></extra>"
