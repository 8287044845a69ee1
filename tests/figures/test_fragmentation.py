"""The figures of the cut: what they draw is what they were given."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go
from numpy.testing import assert_allclose, assert_array_equal

from txlviz.figures import fragmentation as figures
from txlviz.figures import fragmentation_cost as costs
from txlviz.figures import fragmentation_masks as masks

COLOURS = {"xl": "#332288", "vanilla": "#6b6b6b", "line": "#222222"}
TOKENS = ["↵", "<b>", "␣two", "three", "four"]
XL, VANILLA = np.array([1.0, 2.0, 3.0, 4.0]), np.array([1.5, 1.0, 5.0, 4.0])


def test_difference_facts_know_segment_and_position() -> None:
    facts = figures.difference_facts(TOKENS, XL, VANILLA, [0, 1, 3])
    assert facts["Token"].tolist() == TOKENS[1:]
    assert facts["Place"].tolist() == [1, 2, 3, 4]
    assert facts["Segment it is read from"].tolist() == [1, 2, 2, 3]
    assert facts["Position in it"].tolist() == [0, 0, 1, 0]
    assert_allclose(facts[figures.GAP], [0.5, -1, 2, 0])


def test_difference_draws_each_token_once_in_the_colour_of_the_better_model_and_each_cut() -> None:
    facts = figures.difference_facts(TOKENS, XL, VANILLA, [0, 1, 3])
    figure = figures.difference(facts, [0, 1, 3], COLOURS)
    xl, vanilla, cuts, hover = figure.data
    assert outlined(xl) == [(1, 0.5), (3, 2), (4, 0)]
    assert outlined(vanilla) == [(2, -1)]
    assert (xl.fillcolor, vanilla.fillcolor) == (COLOURS["xl"], COLOURS["vanilla"])
    assert list(cuts.x) == [1.5, 1.5, None, 3.5, 3.5, None]
    low, high = figure.layout.yaxis.range
    assert low < -1 < 2 < high
    assert (list(hover.x), list(hover.y)) == ([1, 2, 3, 4], [0.5, -1, 2, 0])
    assert "<b>" not in hover.hovertext[0]
    assert "&lt;b&gt; at 1, position 0" in hover.hovertext[0]


def outlined(trace: go.Scatter) -> list[tuple[float, float]]:
    """Middle and height of each bar of an outline of left, left, right, right, gap."""
    x, y = (list(values) for values in (trace.x, trace.y))
    assert x[4::5] == y[4::5] == [None] * (len(x) // 5)
    assert y[0::5] == y[3::5] == [0] * (len(x) // 5)
    assert y[1::5] == y[2::5]
    return [((left + right) / 2, top) for left, right, top in zip(x[0::5], x[2::5], y[1::5], strict=True)]


def test_a_text_of_one_segment_has_no_cut_and_no_empty_chart() -> None:
    figure = figures.difference(figures.difference_facts(TOKENS, XL, XL, [0]), [0], COLOURS)
    assert [trace.name for trace in figure.data][:2] == ["Transformer-XL better", "Vanilla better"]
    assert len(figure.data) == 3
    assert figure.layout.yaxis.range[1] > 0


def test_one_token_is_sorted_by_position_and_marks_the_cut_that_is_set() -> None:
    facts = figures.one_token_facts([2, 1, 0], range(3), XL[:3], VANILLA[:3])
    assert facts["Position in the segment"].tolist() == [0, 1, 2]
    assert facts["Cut"].tolist() == [2, 1, 0]
    figure = figures.one_token(facts, 0, COLOURS)
    for line, here, values in zip(figure.data[::2], figure.data[1::2], (VANILLA, XL), strict=True):
        assert_allclose(line.y, values[2::-1])
        assert (list(here.x), list(here.y), list(here.customdata)) == ([2], [values[0]], [0])
        assert here.marker.size > line.marker.size
    assert figure.layout.shapes[0].x0 == 2


def test_recorded_curves_carry_their_errors() -> None:
    curves = {
        name: {"mean": [4.0, 3.0 - n], "standard_error": [0.1, 0.2]}
        for n, name in enumerate([figures.VANILLA, figures.XL, figures.NO_MEMORY])
    }
    facts = figures.recorded_facts(curves, 20_480)
    assert len(facts) == 6
    assert set(facts["Tokens"]) == {20_480}
    figure = figures.recorded(facts, COLOURS)
    assert [trace.name for trace in figure.data] == list(curves)
    assert [trace.line.dash for trace in figure.data] == ["solid", "solid", "dash"]
    assert list(figure.data[2].y) == [4, 1]
    assert list(figure.data[0].error_y.array) == [0.1, 0.2]


def test_classes_by_brute_force() -> None:
    own, direct, reach = np.array([0, 0, 2, 2]), np.array([0, 0, 1, 1]), np.array([0, 0, 0, 0])
    drawn = masks.classes(own, direct, reach)
    for i in range(4):
        for j in range(4):
            expected = masks.HIDDEN
            if j <= i:
                expected = masks.OWN if j >= own[i] else masks.REMEMBERED if j >= direct[i] else masks.REACHED
            assert drawn[i, j] == expected


NAMES = {masks.OWN: "own", masks.REMEMBERED: "memory", masks.REACHED: "reach"}


def test_a_mask_shows_tokens_as_text_and_only_classes_that_occur() -> None:
    own = np.array([0, 0, 2, 2])
    figure = masks.mask(["<i>", "b", "c", "d"], own, own, own, colour="#332288", line="#222222", names=NAMES)
    cells, key = figure.data
    assert key.name == "own"
    assert_array_equal(np.isnan(cells.z), masks.classes(own, own, own) != masks.OWN)
    assert figure.layout.xaxis.ticktext[0] == "&lt;i&gt;"
    assert "<i>" not in str(cells.text)
    assert figure.layout.yaxis.range[0] > figure.layout.yaxis.range[1], "reading goes down"


def test_a_long_text_is_thinned_out() -> None:
    n = 1000
    own = np.arange(n) // 50 * 50
    figure = masks.mask(["x"] * n, own, own, own, colour="#332288", line="#222222", names=NAMES)
    cells = figure.data[0]
    step = -(-n // masks.MOST_CELLS)
    assert list(cells.x) == list(range(0, n, step))
    assert_array_equal(~np.isnan(cells.z), (masks.classes(own, own, own) == masks.OWN)[::step, ::step])


def test_costs_are_lines_and_points() -> None:
    import pandas as pd

    rows = [(n, costs.WAYS[way], costs.COUNTED, n * 10) for way in ("whole", "xl") for n in (64, 128)]
    rows += [(64, costs.WAYS["fused"], costs.MEASURED, 7), (64, costs.WAYS["xl"], costs.MEASURED, 9)]
    facts = pd.DataFrame(rows, columns=[costs.LENGTH, costs.WAY, costs.KIND, "Bytes"])
    figure = costs.cost(facts, "Bytes", 100, COLOURS)
    drawn = [(trace.name, trace.mode, list(trace.y)) for trace in figure.data]
    assert drawn == [
        ("Whole text", "lines", [640, 1280]),
        ("Whole, fused", "markers", [7]),
        ("Transformer-XL", "lines", [640, 1280]),
        ("Transformer-XL", "markers", [9]),
    ]
    assert [trace.showlegend for trace in figure.data].count(False) == 1
    assert (figure.layout.xaxis.type, figure.layout.yaxis.type) == ("log", "log")
    assert figure.layout.shapes[0].x0 == 100
