"""The Landscape page's figures: every number given is drawn, and nothing else."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from txlviz.figures import landscape, landscape_cost, landscape_positions, landscape_quality
from txlviz.figures.landscape_cost import COUNTED, MEASURED, OWN, Look
from txlviz.figures.payload import unpack
from txlviz.ui.text import Words

WORDS = Words("landscape").labels()
LOOKS = {"A": Look("#111111", "circle"), "B": Look("#222222", "square", "dash")}
LINE = "#333333"


def test_kinds_by_hand() -> None:
    seen = np.array([[1, 0, 0, 0], [1, 1, 0, 0], [1, 1, 1, 0], [1, 0, 1, 1]], dtype=bool)
    near = np.abs(np.subtract.outer(np.arange(4), np.arange(4))) <= 1
    assert landscape.kinds(seen, near).tolist() == [[1, 0, 0, 0], [1, 1, 0, 0], [2, 1, 1, 0], [2, 0, 1, 1]]
    # the first place is global: what is seen of it outside the window, and what it sees there
    seen[0, 3] = True
    assert landscape.kinds(seen, near, 1).tolist() == [[1, 0, 0, 3], [1, 1, 0, 0], [3, 1, 1, 0], [3, 0, 1, 1]]


def test_every_kind_that_is_drawn_is_seen() -> None:
    generator = np.random.default_rng(0)
    for _ in range(20):
        seen, near = generator.random((2, 9, 9)) < 0.5
        kinds = landscape.kinds(seen, near, int(generator.integers(0, 4)))
        np.testing.assert_array_equal(kinds > 0, seen)
        np.testing.assert_array_equal(kinds == landscape.NEAR, seen & near)


@pytest.mark.parametrize(("signed", "shown"), [(False, "weights"), (True, "signed")])
def test_a_pattern_arrives_as_it_was_given(signed: bool, shown: str) -> None:
    kinds = np.tril(np.ones((3, 3), dtype=np.uint8))
    values = np.linspace(-1, 1, 9).reshape(3, 3).astype(np.float32)
    cone = np.eye(2, 3, dtype=bool)
    header, arrays = unpack(landscape.pattern({"a": "b"}, kinds=kinds, cone=cone, values=values, signed=signed))
    assert header == {"a": "b", "shown": shown}
    for name, given in (("kinds", kinds), ("cone", cone), ("values", values)):
        np.testing.assert_array_equal(arrays[name], given)
    assert arrays["table_dark"].shape == (768,)
    assert (arrays["table_dark"] != arrays["table_light"]).any() == signed
    header, arrays = unpack(landscape.pattern({}, kinds=kinds))
    assert (header["shown"], list(arrays)) == ("mask", ["kinds"])


def test_cones_are_read_from_the_top() -> None:
    assert landscape.rows(np.array([[1, 1, 1], [0, 1, 1], [0, 0, 1]], dtype=bool)) == ["001", "011", "111"]


@pytest.mark.parametrize(("values", "end"), [([0.0, 0.0], 0.1), ([3.21, -1.0], 3.2), ([np.nan, 0.5, -12.0], 12.0), ([], 0.1)])
def test_the_end_of_a_signed_scale(values: list[float], end: float) -> None:
    found = landscape.limit([np.array(values)])
    assert found == pytest.approx(end, rel=0.05)
    assert np.isfinite(found)


def cost_facts() -> pd.DataFrame:
    rows = [("A", 64, COUNTED, 1e6), ("A", 8192, COUNTED, 1e9), ("A", 64, MEASURED, 2e6), ("A", 100, OWN, 3e6)]
    rows += [("B", 64, MEASURED, 5e6), ("B", 8192, MEASURED, 6e6), ("B", 128, COUNTED, 0.0), ("B", 100, OWN, 1e6)]
    return pd.DataFrame(rows, columns=[landscape_cost.SYSTEM, landscape_cost.LENGTH, landscape_cost.KIND, "FLOPs"])


def test_costs_are_lines_points_and_a_star() -> None:
    figure = landscape_cost.cost(cost_facts(), "FLOPs", LOOKS, ["A"], LINE, 100)
    drawn = [(one.name, one.mode, list(one.x), list(one.y), one.opacity) for one in figure.data]
    assert drawn[:3] == [
        ("A", "lines", [64, 8192], [1e6, 1e9], 1.0),
        ("A", "markers", [64], [2e6], 1.0),
        ("A", "markers", [100], [3e6], 1.0),
    ]
    name, mode, x, y, opacity = drawn[3]
    assert (name, mode, x, y) == ("B", "markers+lines", [64, 8192], [5e6, 6e6])  # what is 0 has no place on a log axis
    assert opacity < 1
    assert len(drawn) == 4  # a star for what is picked only
    assert figure.data[2].marker.symbol == "star"
    assert [one.showlegend for one in figure.data] == [True, False, False, True]
    assert figure.layout.xaxis.type == figure.layout.yaxis.type == "log"
    assert figure.layout.shapes[0].x0 == 100
    assert {one.line.color for one in figure.data if one.name == "B"} == {"#222222"}


def test_time_is_written_as_time() -> None:
    facts = cost_facts().rename(columns={"FLOPs": "Seconds"})
    axis = landscape_cost.cost(facts, "Seconds", LOOKS, [], LINE, seconds=True).layout.yaxis
    assert {f"{tick:.0e}": text for tick, text in zip(axis.tickvals, axis.ticktext, strict=True)}["1e-03"] == "1 ms"
    assert landscape_cost.cost(facts, "Seconds", LOOKS, [], LINE).layout.yaxis.tickvals is None


def test_the_ablation_has_a_dot_each_run_and_its_number_beside_it() -> None:
    facts = pd.DataFrame(
        [("b", False, 20.0), ("b", True, 25.0), ("a", True, 10.0)],
        columns=[landscape_quality.ROW, landscape_quality.HALF, landscape_quality.PERPLEXITY],
    )
    looks = {"a": LOOKS["A"], "b": LOOKS["B"]}
    figure = landscape_quality.ablation(facts, {"b": "Bee", "a": "Ay"}, looks, LINE, "perplexity", WORDS)
    full, half = (one for one in figure.data if one.x[0] is not None)
    assert (list(full.x), list(full.y), full.marker.symbol) == ([20.0], ["Bee"], "circle")
    assert (list(half.x), list(half.y), half.marker.symbol) == ([25.0, 10.0], ["Bee", "Ay"], "circle-open")
    assert list(full.text) == ["20.0"]
    assert (full.textposition, half.textposition) == (("middle left",), ("middle right", "middle right"))
    assert list(half.marker.color) == ["#222222", "#111111"]
    assert list(figure.layout.yaxis.categoryarray) == ["Ay", "Bee"]
    low, high = figure.layout.xaxis.range
    assert low < 10 < 25 < high


def test_longer_segments_are_dashed_where_places_were_never_trained() -> None:
    curves = {"A": [3.0, 2.9, 4.0], "B": [3.1, 3.0, None]}
    figure = landscape_quality.lengths([32, 64, 128], curves, 64, ["A", "B"], LOOKS, LINE, WORDS)
    drawn = [(one.name, one.line.dash, list(one.x), list(one.y)) for one in figure.data]
    assert drawn == [
        ("A", "solid", [32, 64], [3.0, 2.9]),
        ("A", "dash", [64, 128], [2.9, 4.0]),
        ("B", "solid", [32, 64], [3.1, 3.0]),
        ("B", "dash", [64], [3.0]),
    ]
    plain = landscape_quality.lengths([32, 64, 128], {"A": curves["A"]}, 64, [], LOOKS, LINE, WORDS)
    assert [(one.line.dash, len(one.x)) for one in plain.data] == [("solid", 3)]


def test_windows_that_move_by_less_stand_to_the_right() -> None:
    figure = landscape_quality.strides([64, 32, 1], {"A": [3.0, 2.9, 2.8]}, LOOKS, WORDS)
    (line,) = figure.data
    assert list(line.y) == [3.0, 2.9, 2.8]
    assert list(line.x) == [WORDS[f"stride_{step}"] for step in (64, 32, 1)]
    assert figure.layout.xaxis.type == "category"


def test_the_curve_by_distance_has_the_past_to_the_left_and_its_spread() -> None:
    mean = np.array([[0.0, -1.0, -2.0], [0.5, 0.25, np.nan]])
    spread = np.full((2, 3), 0.1)
    figure = landscape_positions.by_distance(mean, spread, 0, "#123456", WORDS, "points")
    band, other, chosen = figure.data
    assert band.fillcolor == "rgba(18, 52, 86, 0.18)"
    assert list(band.y) == pytest.approx([0.1, -0.9, -1.9, -2.1, -1.1, -0.1])
    assert list(chosen.y) == [0, -1, -2]
    assert chosen.line.width > other.line.width
    left, right = figure.layout.xaxis.range
    assert left > right
    assert len(landscape_positions.by_distance(mean, None, 1, "#123456", WORDS, "points").data) == 2


def test_the_curves_facts_hold_all_heads() -> None:
    mean = np.array([[0.0, -1.0], [0.5, 0.25]])
    facts = landscape_positions.facts(mean, mean + 1, WORDS)
    assert facts["Head 2"].tolist() == [0.5, 0.25]
    assert facts[f"Head 1, {WORDS['distance_spread']}"].tolist() == [1.0, 0.0]
    assert facts[WORDS["distance_x"]].tolist() == [0, 1]
