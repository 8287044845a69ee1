"""The layers that the echo test's charts are put together from: axes, levels, lines of models, marks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import altair as alt
import pandas as pd

NAMES = {"xl": "Transformer-XL", "vanilla": "Vanilla"}
_SHAPES = {"xl": "circle", "vanilla": "square"}


@dataclass(frozen=True)
class Levels:
    """The two lines that every accuracy stands between."""

    best: float
    chance: float


@dataclass(frozen=True)
class Axes:
    """One pair of axes for all layers of a chart: each names both, with the same title and scale."""

    field: str
    low: float
    high: float
    x: Any
    y: Any


def axes_of(field: str, title: str, low: float, high: float) -> Axes:
    x = alt.X(f"{field}:Q", title=title, scale=alt.Scale(domain=[low, high], nice=False))
    return Axes(field, low, high, x, alt.Y("accuracy:Q", title="Share of right answers", scale=alt.Scale(domain=[0, 1])))


def lines(rows: pd.DataFrame, axes: Axes, colours: Mapping[str, str]) -> list[Any]:
    """A line with points for each model: its colour and its shape."""
    kinds = [kind for kind, name in NAMES.items() if name in set(rows["model"])]
    names = [NAMES[kind] for kind in kinds]
    legend = alt.Legend(title=None, orient="top", symbolSize=90, offset=6, padding=0)
    colour = alt.Color("model:N", scale=alt.Scale(domain=names, range=[colours[kind] for kind in kinds]), legend=legend)
    shape = alt.Shape("model:N", scale=alt.Scale(domain=names, range=[_SHAPES[kind] for kind in kinds]), legend=legend)
    tips = [
        alt.Tooltip("model:N", title="Model"),
        alt.Tooltip(f"{axes.field}:Q", title=axes.field.capitalize()),
        alt.Tooltip("accuracy:Q", title="Right", format=".3f"),
    ]
    base = alt.Chart(rows).encode(x=axes.x, y=axes.y, color=colour, tooltip=tips)
    return [base.mark_line(strokeWidth=2), base.mark_point(filled=True, size=42, opacity=1).encode(shape=shape)]


def level_lines(levels: Levels, axes: Axes, ink: str) -> list[Any]:
    """The best possible accuracy and chance, as lines across, with their names over them."""
    says = [f"best possible {levels.best:.3f}", f"chance {levels.chance:.4f}"]
    rows = pd.DataFrame({"accuracy": [levels.best, levels.chance], "says": says, axes.field: axes.low, "end": axes.high})
    base = alt.Chart(rows).encode(x=axes.x, y=axes.y, tooltip=alt.Tooltip("says:N", title="Level"))
    rules = base.mark_rule(color=ink, opacity=0.6, strokeDash=[2, 2]).encode(x2="end:Q")
    words = base.mark_text(align="left", baseline="bottom", dx=6, dy=-5, color=ink, fontSize=12)
    return [rules, words.encode(text="says:N")]


def upright(at: float, says: str, axes: Axes, ink: str, dash: list[int], *, height: float) -> list[Any]:
    """A line over all shares, with words at a height, on the side where there is room."""
    line = alt.Chart(pd.DataFrame({axes.field: [at], "accuracy": [0.0], "top": [1.0], "says": [says]}))
    rule = line.mark_rule(color=ink, strokeWidth=2, strokeDash=dash)
    left = at > (axes.low + axes.high) / 2
    written = alt.Chart(pd.DataFrame({axes.field: [at], "accuracy": [height], "says": [says]}))
    words = written.mark_text(align="right" if left else "left", dx=-6 if left else 6, color=ink, fontSize=13)
    tip = alt.Tooltip("says:N", title="Line")
    return [rule.encode(x=axes.x, y=axes.y, y2="top:Q", tooltip=tip), words.encode(x=axes.x, y=axes.y, text="says:N")]


def band(low: float, high: float, says: str, axes: Axes, colour: str, ink: str) -> list[Any]:
    """A stretch of positions, shaded, with words in it where it is wide enough."""
    area = alt.Chart(pd.DataFrame({axes.field: [low], "end": [high], "accuracy": [0.0], "top": [1.0], "says": [says]}))
    spread = area.mark_rect(color=colour, opacity=0.13).encode(
        x=axes.x, x2="end:Q", y=axes.y, y2="top:Q", tooltip=alt.Tooltip("says:N", title="Here")
    )
    written = alt.Chart(pd.DataFrame({axes.field: [(low + high) / 2], "accuracy": [0.8], "says": [says]}))
    words = written.mark_text(color=ink, fontSize=12, fontStyle="italic").encode(x=axes.x, y=axes.y, text="says:N")
    return [spread, words] if high - low >= (axes.high - axes.low) / 4 else [spread]
