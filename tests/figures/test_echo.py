"""The echo test's pictures hold the numbers that they were given."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from txlviz.figures import echo, echo_strip
from txlviz.figures.echo_layers import Levels

COLOURS = {"xl": "#332288", "vanilla": "#6B6B6B"}
LEVELS = Levels(0.90625, 0.0625)


def rows(figure: Any, *fields: str) -> list[dict[str, Any]]:
    """All data rows of a chart, whatever the layer, that have these fields."""
    spec = figure.to_dict()
    found = [row for table in spec["datasets"].values() for row in table if all(field in row for field in fields)]
    return found


def texts(figure: Any) -> set[str]:
    return {row["says"] for row in rows(figure, "says")}


def test_accuracy_by_position_holds_both_curves_and_the_marks() -> None:
    xl, vanilla = np.linspace(0, 0.9, 32), np.full(32, 0.0625)
    marks = echo.Marks(cliff=23, two_looks=4, pointer=10, pointer_label="your line: p = 10")
    figure = echo.by_position({"xl": xl, "vanilla": vanilla}, LEVELS, marks, COLOURS, "#222222")
    drawn = rows(figure, "model")
    for name, shares in (("Transformer-XL", xl), ("Vanilla", vanilla)):
        points = {row["position"]: row["accuracy"] for row in drawn if row["model"] == name}
        assert points == pytest.approx(dict(enumerate(shares)))
    assert {"best possible 0.906", "chance 0.0625", "one look reaches: p ≥ 23", "your line: p = 10"} <= texts(figure)
    assert [row["position"] for row in rows(figure, "says") if row["says"].startswith("one look")] == [22.5, 22.5]
    shaded = [(row["position"], row["end"]) for row in rows(figure, "end", "top")]
    assert shaded == [(3.5, 22.5)], "where two looks reach and one doesn't"


def test_before_the_cliff_is_shown_nothing_gives_it_away() -> None:
    figure = echo.by_position({}, LEVELS, echo.Marks(pointer=32, pointer_label="nowhere"), COLOURS, "#222222")
    assert texts(figure) == {"best possible 0.906", "chance 0.0625", "nowhere"}
    assert rows(figure, "model") == []


def test_a_cliff_beyond_the_segment_leaves_the_whole_of_it_to_two_looks() -> None:
    figure = echo.by_position({"xl": np.zeros(32)}, LEVELS, echo.Marks(None, 5), COLOURS, "#222222")
    assert [(row["position"], row["end"]) for row in rows(figure, "end", "top")] == [(4.5, 31.5)]


def test_every_layer_shares_the_axes() -> None:
    figure = echo.by_position({"xl": np.zeros(32)}, LEVELS, echo.Marks(3, 1, 7, "x"), COLOURS, "#222222")
    spec = figure.to_dict()
    assert {layer["encoding"]["x"]["title"] for layer in spec["layer"]} == {"Input position p in the segment"}
    assert {tuple(layer["encoding"]["y"]["scale"]["domain"]) for layer in spec["layer"]} == {(0, 1)}


def test_training_curves_stand_at_their_steps() -> None:
    figure = echo.over_steps({"xl": [0.1, 0.5], "vanilla": [0.06]}, 10, 600, LEVELS, COLOURS, "#222222")
    points = {(row["model"], row["step"]): row["accuracy"] for row in rows(figure, "model")}
    assert points == {("Transformer-XL", 10): 0.1, ("Transformer-XL", 20): 0.5, ("Vanilla", 10): 0.06}
    assert echo.over_steps({"xl": [], "vanilla": []}, 10, 600, LEVELS, COLOURS, "#222222").to_dict()


def test_relay_runs_are_a_line_each() -> None:
    runs = [
        {"label": "k = 1", "seed": 0, "segments_a_point": 5, "curve": np.array([0.1, 0.2])},
        {"label": "k = 1", "seed": 1, "segments_a_point": 5, "curve": np.array([0.3])},
        {"label": "k = 2", "seed": 0, "segments_a_point": 10, "curve": np.array([0.4])},
    ]
    figure = echo.relay(runs, LEVELS, {"k = 1": "#111111", "k = 2": "#222222"}, "#000000")
    drawn = [(row["run"], row["segments"], row["accuracy"]) for row in rows(figure, "run")]
    assert drawn == [
        ("k = 1, seed 0", 5, 0.1),
        ("k = 1, seed 0", 10, 0.2),
        ("k = 1, seed 1", 5, 0.3),
        ("k = 2, seed 0", 10, 0.4),
    ]


def stretch(position: int, delay: int, memory: int) -> echo_strip.Stretch:
    return echo_strip.Stretch({place: "AB"[place % 2] for place in range(-20, 9)}, 8, memory, position, delay)


@pytest.mark.parametrize(
    ("position", "delay", "memory"), [(0, 5, 4), (0, 5, 3), (7, 12, 4), (7, 13, 4), (3, 4, 0), (3, 5, 0), (3, 1, 0)]
)
def test_the_arc_is_whole_exactly_where_one_look_reaches(position: int, delay: int, memory: int) -> None:
    made = stretch(position, delay, memory)
    assert made.reached == (position + memory >= delay - 1)
    figure = echo_strip.strip(made, COLOURS, "#222222", arc=True)
    ways = [layer["mark"] for layer in figure.to_dict()["layer"] if layer["mark"]["type"] == "line"]
    assert [mark["strokeDash"] for mark in ways] == [[1, 0] if made.reached else [5, 4]]
    ends = [row["middle"] for row in rows(figure, "order")]
    assert (ends[0], ends[-1]) == pytest.approx((position + 1, position + 1 - delay))


def test_each_place_is_what_it_is_to_the_position() -> None:
    table = echo_strip.rows(stretch(position=2, delay=6, memory=4)).set_index("place")
    assert table["state"].loc[[-5, -4, -1, 0, 2, 3, 8]].tolist() == [
        "forgotten",
        "memory",
        "memory",
        "this segment",
        "this segment",
        "not read yet",
        "not read yet",
    ]
    assert table["role"].loc[[-3, 2, 3]].tolist() == ["source", "input p", "target"]
    assert (table["role"] != "").sum() == 3


def test_without_the_arc_the_source_isnt_marked() -> None:
    figure = echo_strip.strip(stretch(2, 6, 4), COLOURS, "#222222", arc=False)
    framed = {row["place"] for row in rows(figure, "place", "middle") if row["role"]}
    assert framed == {2, 3}
    assert "line" not in {layer["mark"]["type"] for layer in figure.to_dict()["layer"]}
