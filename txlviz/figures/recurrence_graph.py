"""Recurrence within a layer and across layers: nodes, what they are computed from, and one way through them."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import altair as alt
import pandas as pd

Node = tuple[int, int]
Edge = tuple[Node, Node]

_NEUTRAL = "#8a8a8a"


def graph(
    edges: Sequence[Edge],
    way: Sequence[Edge],
    reached: Collection[Node],
    starts: Sequence[int],
    *,
    colour: str,
    name: str,
) -> tuple[alt.TopLevelMixin, pd.DataFrame]:
    """One small graph, the past to the left, layers up; layer 0 are the inputs.

    Args:
        edges: ((layer, place), (layer, place)): the second is computed from the first.
        way: the edges of a shortest way from the first input to the last output, drawn strong.
        reached: the nodes that the last output depends on, drawn filled.
        starts: the places where segments start; the first one draws no line.
        colour: of the way.
        name: what a layer's node is called in the tip, such as ``state``.

    Returns:
        The chart, and its facts: the steps of the way.
    """
    nodes = sorted({node for edge in edges for node in edge})
    table = pd.DataFrame(
        [(n, t, "input" if n == 0 else name, "yes" if (n, t) in reached else "no") for n, t in nodes],
        columns=["layer", "place", "what", "the last output depends on it"],
    )
    lines = pd.DataFrame([(*a, *b) for a, b in edges], columns=["layer", "place", "to layer", "to place"])
    strong = pd.DataFrame([(*a, *b) for a, b in way], columns=["layer", "place", "to layer", "to place"])
    places, layers = max(t for _, t in nodes), max(n for n, _ in nodes)
    x = alt.X(
        "place:Q",
        title="place in the text: the past to the left",
        scale=alt.Scale(domain=[-0.5, places + 0.5]),
        axis=_axis(places + 1),
    )
    y = alt.Y("layer:Q", title="layer (0: the inputs)", scale=alt.Scale(domain=[-0.35, layers + 0.35]), axis=_axis(layers + 1))
    ends = {"x": x, "y": y, "x2": "to place:Q", "y2": "to layer:Q"}
    parts = [
        alt.Chart(lines).mark_rule(strokeWidth=1, opacity=0.35, color=_NEUTRAL).encode(**ends),
        alt.Chart(pd.DataFrame({"place": [start - 0.5 for start in starts[1:]]}))
        .mark_rule(strokeDash=[4, 3], color=_NEUTRAL)
        .encode(x=x),
        alt.Chart(strong).mark_rule(strokeWidth=4, color=colour).encode(**ends, tooltip=list(strong.columns)),
        alt.Chart(table)
        .mark_point(size=90, filled=True, opacity=1, strokeWidth=1.5, stroke=colour)
        .encode(
            x=x,
            y=y,
            fill=alt.Fill(
                "the last output depends on it:N",
                scale=alt.Scale(domain=["yes", "no"], range=[colour, "transparent"]),
                legend=None,
            ),
            tooltip=list(table.columns),
        ),
    ]
    return alt.layer(*parts).properties(height=230), strong


def _axis(count: int) -> alt.Axis:
    return alt.Axis(values=list(range(count)), format="d", grid=False)
