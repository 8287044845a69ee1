"""One token of the past swapped: arcs from it to the later predictions that change."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import plotly.graph_objects as go

from txlviz.figures.plain import dressed, plain

Array = npt.NDArray[np.floating[Any]]
Words = Mapping[str, str]
Colours = Mapping[str, str]

_CURVE = 24  # points of an arc
_FEW = 12  # places that are all named
_MOST_SIGNS = 40  # cuts that are named
_PIXELS_PER_NAT, _WIDEST, _THINNEST = 3.0, 18.0, 1.2


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
    traces: list[dict[str, Any]] = []
    turn = np.linspace(0, np.pi, _CURVE)
    along, above = (1 - np.cos(turn)) / 2, np.sin(turn)
    for kind, side in (("xl", 1), ("vanilla", -1)):
        size = np.abs(np.nan_to_num(changes[kind]))
        order = [int(at) for at in np.argsort(-size, kind="stable") if size[at] >= least][:most_arcs]
        said = {at: _said(words, kind, tokens[at], at, float(changes[kind][at])) for at in order}
        for at in sorted(order, reverse=True):
            value = float(changes[kind][at])
            line = {
                "color": colours[kind],
                "width": min(_WIDEST, max(_THINNEST, _PIXELS_PER_NAT * abs(value))),
                "dash": "solid" if value > 0 else "dot",
            }
            traces.append(
                {
                    "x": (place + (at - place) * along).round(3).tolist(),
                    "y": (side * np.sqrt(at - place) * above).round(3).tolist(),
                    "mode": "lines",
                    "line": line,
                    "opacity": 0.55,
                    "showlegend": False,
                    "name": words[kind],
                    "hovertemplate": said[at],
                }
            )
        ends = {"symbol": "circle", "color": colours[kind], "size": [float(min(16, 5 + 2 * size[at])) for at in order]}
        traces.append(
            {
                "x": order,
                "y": [side * 0.25] * len(order),
                "mode": "markers",
                "name": words[f"arcs_{kind}"],
                "marker": ends,
                "hovertemplate": [said[at] for at in order],
            }
        )
    here = {"symbol": "x", "size": 11, "color": colours["line"]}
    traces.append({"x": [place], "y": [0], "mode": "markers", "name": words["arcs_here"], "marker": here, "hoverinfo": "skip"})
    # All in one call: a figure of eighty traces that is built one by one takes several times as long.
    return dressed(go.Figure(traces, _arcs_layout(place, len(tokens), starts, colours["line"], words)), 360)


def _arcs_layout(place: int, total: int, starts: Sequence[int], colour: str, words: Words) -> dict[str, Any]:
    """The axis of places, with the cuts between segments."""
    top = max(4.0, float(np.sqrt(total - place)))
    axis = {"type": "line", "x0": 0, "x1": total - 1, "y0": 0, "y1": 0, "line": {"width": 1.5, "color": colour}}
    cut = {"type": "line", "yref": "paper", "y0": 0, "y1": 1, "line": {"width": 1.5, "dash": "dash", "color": colour}}
    sign = {
        "text": "SG",
        "showarrow": False,
        "xanchor": "left",
        "yanchor": "top",
        "yref": "paper",
        "y": 1,
        "font": {"size": 11},
    }
    whole: dict[str, Any] = {"dtick": 1} if total <= _FEW else {}  # places are whole numbers
    cuts = [start - 0.5 for start in starts[1:]]
    return {
        "shapes": [axis, *({**cut, "x0": x, "x1": x} for x in cuts)],
        "annotations": [{**sign, "x": x, "y": 1} for x in cuts[:_MOST_SIGNS]],
        "xaxis": {"title": {"text": words["arcs_x"]}, "range": [-1, total], "zeroline": False, "showgrid": False} | whole,
        "yaxis": {"visible": False, "range": [-1.1 * top, 1.1 * top]},
    }


def arcs_facts(place: int, tokens: Sequence[str], runs: Mapping[str, tuple[Array, Array]], words: Words) -> pd.DataFrame:
    """A row each later token: ``runs`` holds (before, after) of ``xl`` and ``vanilla``, (T,) nats by place."""
    later = range(place + 1, len(tokens))
    facts: dict[str, Any] = {words["fact_place"]: list(later), words["fact_token"]: [tokens[at] for at in later]}
    for kind, (before, after) in runs.items():
        facts[words["fact_before"].format(name=words[kind])] = before[place + 1 :]
        facts[words["fact_after"].format(name=words[kind])] = after[place + 1 :]
        facts[words["fact_change"].format(name=words[kind])] = (after - before)[place + 1 :]
    return pd.DataFrame(facts)


def _said(words: Words, kind: str, token: str, place: int, value: float) -> str:
    return words["arcs_hover"].format(name=words[kind], token=plain(token), place=place, value=value) + "<extra></extra>"
