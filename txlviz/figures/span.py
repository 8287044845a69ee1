"""The memory span: as a staircase over M, and layer by layer. Computed from the masks, beside measured points."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import altair as alt
import numpy as np
import numpy.typing as npt
import pandas as pd

Span = npt.NDArray[np.int64]

COMPUTED, MEASURED, PRODUCT = "computed", "measured", "N·M"  # short: one line of a telephone holds all three
_NEUTRAL = "#8a8a8a"
_HEIGHT = 350


@dataclass(frozen=True)
class Inks:
    """Colours of the marks."""

    xl: str
    ink: str
    """The text's."""


def breakpoints(segment_length: int, longest: int, most: int = 48) -> list[int]:
    """Values of M from 0 to ``longest``: both ends of each step of the staircase, and others where they are few."""
    ends = {0, longest}
    for k in range(longest // segment_length + 1):
        ends |= {k * segment_length, k * segment_length + 1}
    ends |= {round(m) for m in np.linspace(0, longest, max(2, most - len(ends)))}
    return sorted(m for m in ends if 0 <= m <= longest)


def staircase(
    lengths: Sequence[int], spans: Sequence[int], measured: Mapping[int, int], n_layers: int, memory_length: int, inks: Inks
) -> tuple[alt.TopLevelMixin, pd.DataFrame]:
    """The span of the top layer at the first position of a segment, over M.

    Args:
        lengths: values of M; between two of them that aren't neighbours the span grows evenly.
        spans: tokens back for each of them.
        measured: tokens back by M, where they were measured.
        memory_length: the M that is chosen, marked by a line.

    Returns:
        The chart, and its facts.
    """
    M, back = "M (rows kept)", "tokens back"
    facts = pd.DataFrame({M: list(lengths), f"{back}, computed": list(spans)})
    facts[f"{back}, measured"] = [measured.get(m) for m in lengths]
    facts["N·M"] = [n_layers * m for m in lengths]
    top = max(max(spans), 1)
    lines = pd.concat(
        [
            pd.DataFrame({M: list(lengths), back: list(spans), "series": COMPUTED}),
            pd.DataFrame({M: list(lengths), back: [n_layers * m for m in lengths], "series": PRODUCT}),
        ]
    )
    points = pd.DataFrame({M: list(measured), back: list(measured.values()), "series": MEASURED})
    x = alt.X(
        f"{M}:Q", title="memory length M (rows kept in each layer)", scale=alt.Scale(domain=[0, max(lengths)], nice=False)
    )
    y = alt.Y(f"{back}:Q", title="span of the top layer (tokens)", scale=alt.Scale(domain=[0, top], nice=True))
    colour = _colour([COMPUTED, MEASURED, PRODUCT], inks)
    tooltip = [alt.Tooltip(f"{M}:Q"), alt.Tooltip(f"{back}:Q", format=","), alt.Tooltip("series:N", title="how")]
    line, product = (
        alt.Chart(lines[lines["series"] == name])
        .mark_line(clip=True, strokeWidth=width, strokeDash=dash)
        .encode(x=x, y=y, color=colour, tooltip=tooltip)
        for name, width, dash in ((COMPUTED, 2.5, [1, 0]), (PRODUCT, 1.5, [5, 4]))
    )
    hover = (
        alt.Chart(lines[lines["series"] == COMPUTED])
        .mark_point(size=90, filled=True, opacity=0.001)
        .encode(x=x, y=y, tooltip=tooltip)
    )
    here = alt.Chart(pd.DataFrame({M: [memory_length]})).mark_rule(color=_NEUTRAL).encode(x=x, tooltip=[alt.Tooltip(f"{M}:Q")])
    dots = _rings(points, tooltip).encode(x=x, y=y, color=colour)
    return alt.layer(here, product, line, hover, dots).properties(height=_HEIGHT), facts


def by_layer(ends: Span, measured: Span | None, last: int, inks: Inks) -> tuple[alt.TopLevelMixin, pd.DataFrame]:
    """The span of each layer: a band from p = 0, the first position of a segment, to its last; the past to the left.

    Args:
        ends: (layer, 2) tokens back at the first and the last position, computed.
        measured: the same, measured; None where it wasn't.
        last: the last position, L - 1.

    Returns:
        The chart, and its facts.
    """
    layers = np.arange(1, len(ends) + 1)
    facts = pd.DataFrame({"layer": layers})
    tables = []
    for column, (name, position) in enumerate((("p = 0", 0), ("p = L − 1", last))):
        facts[name] = ends[:, column]
        facts[f"{name}, measured"] = [None] * len(layers) if measured is None else measured[:, column]
        for how, table in ((COMPUTED, ends), (MEASURED, measured)):
            if table is not None:
                columns = {"layer": layers, "tokens back": table[:, column], "position": position, "series": how}
                tables.append(pd.DataFrame(columns))
    points = pd.concat(tables)
    reach = int(max(ends.max(), 1))
    back: dict[str, Any] = {"title": "tokens back: the past to the left", "scale": alt.Scale(domain=[reach, 0], nice=False)}
    x = alt.X("tokens back:Q", **back)
    y = alt.Y("layer:Q", title="layer", scale=alt.Scale(domain=[0.45, len(ends) + 0.4]), axis=_whole(len(ends)))
    colour = _colour([COMPUTED, MEASURED], inks)
    tooltip = [
        alt.Tooltip("layer:Q"),
        alt.Tooltip("position:Q", title="position p"),
        alt.Tooltip("tokens back:Q", format=","),
        alt.Tooltip("series:N", title="how"),
    ]
    sides = {"x": alt.X("p = 0:Q", **back), "x2": "p = L − 1:Q", "y": y}
    band = alt.Chart(facts).mark_bar(size=max(4, min(16, 160 // len(ends))), opacity=0.3, color=inks.xl).encode(**sides)
    made = points[points["series"] == COMPUTED]
    lines = (
        alt.Chart(made)
        .mark_line(strokeWidth=2.5, point={"size": 30})
        .encode(x=x, y=y, color=colour, detail="position:N", order="layer:Q", tooltip=tooltip)
    )
    rings = _rings(points[points["series"] == MEASURED], tooltip).encode(x=x, y=y, color=colour)
    first, end = made[made["position"] == 0], made[made["position"] == last]
    apart = ends[0, 1] - ends[0, 0] > 0.15 * reach  # else one name for both lines
    names = (
        [_name(first, "p = 0"), _name(end, f"p = {last}")] if apart else [_name(first, f"p = 0 to {last}" if last else "p = 0")]
    )
    names = [name.encode(x=x, y=y) for name in names]
    return alt.layer(band, lines, rings, *names).properties(height=_HEIGHT), facts


def _name(points: pd.DataFrame, name: str) -> Any:
    """A line's name, below its lowest point."""
    return alt.Chart(points.head(1)).mark_text(text=name, baseline="top", dy=10, fontSize=13, color=_NEUTRAL)


def _rings(points: pd.DataFrame, tooltip: list[alt.Tooltip]) -> alt.Chart:
    """Open circles, so that what they stand on stays visible."""
    rings: alt.Chart = alt.Chart(points).mark_point(size=90, strokeWidth=2, filled=False, opacity=1).encode(tooltip=tooltip)
    return rings


def _colour(series: list[str], inks: Inks) -> alt.Color:
    colours = {COMPUTED: inks.xl, MEASURED: inks.ink, PRODUCT: _NEUTRAL}
    legend = alt.Legend(orient="top", direction="horizontal", title=None, labelLimit=400, symbolType="circle", symbolSize=70)
    return alt.Color("series:N", scale=alt.Scale(domain=series, range=[colours[name] for name in series]), legend=legend)


def _whole(most: int) -> alt.Axis:
    return alt.Axis(values=list(range(1, most + 1, 1 if most < 9 else 3)), format="d", grid=False)
