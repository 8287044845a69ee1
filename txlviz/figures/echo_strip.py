"""A stretch of an echo stream: what the model sees at one input position, and where the source of its target stands."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import altair as alt
import numpy as np
import pandas as pd

_CELL = 1.0  # height of the row of symbols
_ARC = 1.5  # height of an arc over it


@dataclass(frozen=True)
class Stretch:
    """Symbols around a segment. Places count from the segment's first token: the past is below 0."""

    symbols: Mapping[int, str]
    """Place to symbol."""
    segment_length: int
    memory_length: int
    position: int
    """(p) the input position whose prediction is looked at."""
    delay: int

    @property
    def target(self) -> int:
        """The place of the token that is predicted."""
        return self.position + 1

    @property
    def source(self) -> int:
        """The place of the token that the target repeats."""
        return self.target - self.delay

    @property
    def reached(self) -> bool:
        """Whether one look reaches the source."""
        return self.source >= -self.memory_length


def rows(stretch: Stretch) -> pd.DataFrame:
    """A row a place: ``place``, ``symbol``, ``state`` (what it is to the model at p), ``age`` (in tokens before p)."""
    states = {place: _state(stretch, place) for place in sorted(stretch.symbols)}
    return pd.DataFrame(
        {
            "place": list(states),
            "symbol": [stretch.symbols[place] for place in states],
            "state": list(states.values()),
            "role": [_role(stretch, place) for place in states],
            "age": [stretch.position - place for place in states],
        }
    )


def _state(stretch: Stretch, place: int) -> str:
    if place > stretch.position:
        return "not read yet"
    if place >= 0:
        return "this segment"
    return "memory" if place >= -stretch.memory_length else "forgotten"


def _role(stretch: Stretch, place: int) -> str:
    named = {stretch.position: "input p", stretch.target: "target", stretch.source: "source"}
    return named.get(place, "")


def strip(stretch: Stretch, colours: Mapping[str, str], ink: str, *, arc: bool) -> Any:
    """The stretch as a row of cells: memory fading with age, the segment outlined; with ``arc``, the way to the source.

    Letters are drawn where a cell is wide enough.
    """
    table = rows(stretch)
    low, high = int(table["place"].min()), int(table["place"].max())
    fade = np.where(table["state"] == "memory", 0.55 - 0.4 * np.minimum(1, -table["place"] / max(1, stretch.memory_length)), 0)
    table["strength"] = np.where(table["state"] == "this segment", 0.3, fade)
    table["left"], table["right"], table["y"] = table["place"] - 0.5, table["place"] + 0.5, 0.0
    if not arc:
        table["role"] = table["role"].replace("source", "")
    x = alt.X(
        "left:Q",
        title="Place, counted from the segment's first token",
        scale=alt.Scale(domain=[low - 0.5, high + 0.5], nice=False),
        axis=alt.Axis(grid=False, tickMinStep=1),
    )
    y = alt.Scale(domain=[-1.1, _CELL + _ARC + 0.9])
    heads = {"place:Q": "Place", "symbol:N": "Symbol", "state:N": "It is", "role:N": "Role"}
    tips = [alt.Tooltip(field, title=title) for field, title in heads.items()]
    cells = (
        alt.Chart(table)
        .mark_rect(stroke=ink, strokeWidth=0.4, strokeOpacity=0.45)
        .encode(
            x=x,
            x2="right:Q",
            y=alt.Y("y:Q", scale=y, axis=None),
            y2=alt.datum(_CELL),
            color=alt.value(colours["xl"]),
            fillOpacity=alt.Opacity("strength:Q", scale=None, legend=None),
            tooltip=tips,
        )
    )
    marked = table[table["role"] != ""]
    plain = table[~table["place"].isin(marked["place"])]
    wide = f"width / {high - low + 1}"
    letters = alt.Chart(plain.assign(middle=plain["place"], height=_CELL / 2)).mark_text(
        color=ink, fontSize=alt.expr(f"min(13, 0.95 * {wide})"), opacity=alt.expr(f"{wide} >= 8 ? 0.9 : 0")
    )
    strong = alt.Chart(marked.assign(middle=marked["place"], height=_CELL / 2)).mark_text(
        color=ink, fontSize=14, fontWeight="bold", opacity=alt.expr(f"{wide} >= 8 ? 1 : 0")
    )
    placed = {"x": "middle:Q", "y": alt.Y("height:Q", scale=y, axis=None), "text": "symbol:N"}
    frames = alt.Chart(marked).mark_rect(fillOpacity=0, stroke=ink, strokeWidth=2)
    framed = frames.encode(x=x, x2="right:Q", y=alt.Y("y:Q", scale=y, axis=None), y2=alt.datum(_CELL), tooltip=tips)
    layers = [cells, letters.encode(**placed), framed, strong.encode(**placed), *_names(stretch, ink, y)]
    if arc:
        layers += _arc(stretch, colours, ink, y)
    return alt.layer(*layers).properties(height=175)


def _names(stretch: Stretch, ink: str, y: alt.Scale) -> list[alt.Chart]:
    """The boundary with SG on it, and the names of memory and segment under the row."""
    words = []
    named: list[tuple[Literal["left", "right"], int, str]] = [("left", 5, f"segment, L = {stretch.segment_length}")]
    if stretch.memory_length:
        named.append(("right", -5, f"memory, M = {stretch.memory_length}"))
    for align, dx, says in named:  # both start at the boundary, so that they can't meet
        at = alt.Chart(pd.DataFrame({"middle": [-0.5], "height": [-0.6], "says": [says]}))
        words.append(
            at.mark_text(color=ink, fontSize=12, align=align, dx=dx).encode(
                x="middle:Q", y=alt.Y("height:Q", scale=y, axis=None), text="says:N"
            )
        )
    line = alt.Chart(pd.DataFrame({"middle": [-0.5], "height": [-0.3], "to": [_CELL + 0.3], "says": ["SG"]}))
    placed = {"x": "middle:Q", "y": alt.Y("height:Q", scale=y, axis=None)}
    rule = line.mark_rule(color=ink, strokeWidth=2).encode(**placed, y2="to:Q")
    cut = line.mark_text(color=ink, fontSize=11, fontWeight="bold", dy=-7).encode(
        x="middle:Q", y=alt.Y("to:Q", scale=y, axis=None), text="says:N"
    )
    return [*words, rule, cut]


def _arc(stretch: Stretch, colours: Mapping[str, str], ink: str, y: alt.Scale) -> list[alt.Chart]:
    """From the target back to its source: whole where one look reaches it, dashed where it doesn't."""
    turns = np.linspace(0, np.pi, 41)
    middle, radius = (stretch.target + stretch.source) / 2, stretch.delay / 2
    says = "in sight" if stretch.reached else "out of sight"
    way = pd.DataFrame(
        {"middle": middle + radius * np.cos(turns), "height": _CELL + _ARC * np.sin(turns), "order": range(41), "says": says}
    )
    dash: Sequence[int] = [1, 0] if stretch.reached else [5, 4]
    line = alt.Chart(way).mark_line(color=colours["xl"] if stretch.reached else ink, strokeWidth=2.5, strokeDash=list(dash))
    top = pd.DataFrame(
        {
            "middle": [middle],
            "height": [_CELL + _ARC + 0.45],
            "says": [f"source {stretch.symbols[stretch.source]}, D = {stretch.delay} back: {says}"],
        }
    )
    words = (
        alt.Chart(top)
        .mark_text(color=ink, fontSize=13)
        .encode(x="middle:Q", y=alt.Y("height:Q", scale=y, axis=None), text="says:N")
    )
    return [line.encode(x="middle:Q", y=alt.Y("height:Q", scale=y, axis=None), order="order:Q"), words]
