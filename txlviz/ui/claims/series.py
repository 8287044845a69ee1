"""What the claims' figures have in common: series of both models, and their tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd
import plotly.graph_objects as go

from txlviz.figures.claims import BY, HIGHEST, LOWEST, Claimed, Style, bars, lines
from txlviz.ui.claims.words import colours, label

Numbers = Mapping[str, Any]
XL, VANILLA = Style("xl"), Style("vanilla", symbol="square")
SIZES = {"2l": Style("xl", "dot", "circle-open"), "4l": XL}

Drawn = tuple[go.Figure, pd.DataFrame]
"""A figure, and its numbers."""
Series = dict[str, tuple[Sequence[Any], Sequence[Any]]]
"""By name: places and values."""


def table(x: str, y: str, series: Mapping[str, tuple[Sequence[Any], Sequence[Any]]]) -> pd.DataFrame:
    """A row each point: ``series`` is name -> (xs, ys)."""
    rows = [(name, at, value) for name, (xs, ys) in series.items() for at, value in zip(xs, ys, strict=True)]
    return pd.DataFrame(rows, columns=[BY, x, y])


def by_size(what: str, numbers: Numbers, xs: Sequence[Any]) -> Series:
    """A series a model."""
    return {label(size): (xs, numbers[f"{what}_{size}"]) for size in SIZES}


def size_styles() -> dict[str, Style]:
    """How each model's series is drawn."""
    return {label(size): style for size, style in SIZES.items()}


def curves(
    x: str,
    y: str,
    xs: Sequence[Any],
    styles: Mapping[str, Style],
    said: str,
    key: str,
    numbers: Numbers,
    spread: tuple[str, str] | None = None,
    **options: Any,
) -> Drawn:
    """A line a name of ``styles``: ``key`` and ``said``, with ``{}`` for the name, say where its values and its label stand.

    ``spread``: likewise where the lowest and the highest of all seeds stand.
    """
    facts = table(x, y, {label(said.format(name)): (xs, numbers[key.format(name)]) for name in styles})
    for column, values in zip((LOWEST, HIGHEST), spread or (), strict=False):
        facts[column] = [value for name in styles for value in numbers[values.format(name)]]
    return lines(facts, x, y, {label(said.format(name)): one for name, one in styles.items()}, colours(), **options), facts


def grouped(what: str, value: str, names: Sequence[str], numbers: Numbers, claimed: Claimed, **options: Any) -> Drawn:
    """Bars of both models, a group a name."""
    rows = [(label(f"bar_{name}"), label(size), numbers[f"{name}_{size}"]) for name in names for size in SIZES]
    facts = pd.DataFrame(rows, columns=[what, BY, value])
    return bars(facts, what, value, size_styles(), colours(), claimed=claimed, **options), facts
