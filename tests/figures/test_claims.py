"""The claims' figures: every value is drawn, and the claimed range stands where the values do."""

from __future__ import annotations

import math

import pandas as pd
import pytest

from txlviz.figures.claims import BY, Claimed, Style, bars, lines

COLOURS = {"xl": "#332288", "vanilla": "#6b6b6b", "line": "#222222"}
STYLES = {"one": Style("xl"), "two": Style("line", "dot", "x", points_only=True)}
FACTS = pd.DataFrame(
    [("one", 1, 10.0), ("one", 2, 20.0), ("one", 4, None), ("two", 2, 300.0)], columns=[BY, "Layers N", "Tokens back"]
)


def test_lines_hold_each_series_in_its_style() -> None:
    figure = lines(FACTS, "Layers N", "Tokens back", STYLES, COLOURS)
    one, two = figure.data
    assert (one.name, list(one.x)) == ("one", [1, 2, 4])
    assert [None if math.isnan(value) else value for value in one.y] == [10.0, 20.0, None]
    assert (one.mode, two.mode) == ("lines+markers", "markers")
    assert one.line.color == COLOURS["xl"]
    assert two.marker.color == COLOURS["line"]
    assert figure.layout.xaxis.title.text == "Layers N"
    assert figure.layout.yaxis.title.text == "Tokens back"


@pytest.mark.parametrize("log", ["", "x", "y", "xy"])
def test_axes_are_logarithmic_where_asked(log: str) -> None:
    figure = lines(FACTS, "Layers N", "Tokens back", STYLES, COLOURS, log=log, ticks=(1, 4))
    assert figure.layout.xaxis.type == ("log" if "x" in log else "linear")
    assert figure.layout.yaxis.type == ("log" if "y" in log else "linear")
    assert list(figure.layout.xaxis.tickvals) == [1, 4]


def test_a_claimed_range_is_a_band_and_a_single_value_a_line() -> None:
    band = lines(FACTS, "Layers N", "Tokens back", STYLES, COLOURS, claimed=Claimed(15.0, 30.0, "claimed"))
    (shape,), (note,) = band.layout.shapes, band.layout.annotations
    assert (shape.type, shape.y0, shape.y1, shape.x0, shape.x1) == ("rect", 15.0, 30.0, 0, 1)
    assert (note.text, note.y) == ("claimed", 22.5)
    line = lines(FACTS, "Layers N", "Tokens back", STYLES, COLOURS, claimed=Claimed(100.0, 100.0, "claimed"), log="y")
    (shape,), (note,) = line.layout.shapes, line.layout.annotations
    assert (shape.type, shape.y0) == ("line", 100.0)
    assert note.y == pytest.approx(2.0)  # on a logarithmic axis notes take the power


def test_bars_stand_in_groups_from_the_top() -> None:
    facts = pd.DataFrame(
        [("a", "one", 1.0), ("a", "two", 2.0), ("b", "one", -3.0), ("b", "two", 4.0)], columns=["Term", BY, "Nats"]
    )
    figure = bars(facts, "Term", "Nats", STYLES, COLOURS, claimed=Claimed(0.0, 1.0, "claimed"))
    assert {bar.name: list(bar.x) for bar in figure.data} == {"one": [1.0, -3.0], "two": [2.0, 4.0]}
    assert [bar.name for bar in figure.data] == ["two", "one"]  # Plotly draws from below
    assert list(figure.layout.yaxis.categoryarray) == ["b", "a"]
    (shape,) = figure.layout.shapes
    assert (shape.x0, shape.x1, shape.y0, shape.y1) == (0.0, 1.0, 0, 1)
    assert figure.layout.xaxis.title.text == "Nats"
