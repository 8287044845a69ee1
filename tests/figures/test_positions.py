"""Figures of the Relative positions page: what is drawn is what is in the arrays."""

from __future__ import annotations

import math

import numpy as np
import pytest

from txlviz.figures import positions, positions_folded
from txlviz.ui.positions.words import labels

WORDS = labels()
COLOURS = {"xl": "#332288", "vanilla": "#6B6B6B", "d": "#CC79A7"}
RNG = np.random.default_rng(0)
MEAN, BIAS = RNG.normal(size=(2, 2, 3, 20)).astype(np.float32)
QUERIES = np.arange(20, 0, -1)
TRIED = [64, 96, 512]
LOSSES = {"vanilla": [4.0, 4.5, 5.0], "xl": [3.7, 3.7, 3.7], "xl_no_memory": [4.1, 4.0, 3.8]}


def by_name(figure):
    return {trace.name: trace for trace in figure.data}


def test_the_chosen_head_stands_out_and_all_others_are_there():
    traces = by_name(positions.curves(MEAN, BIAS, QUERIES, 1, 2, COLOURS, WORDS))
    np.testing.assert_array_equal(traces[WORDS["curves_mean"]].y, MEAN[1, 2])
    np.testing.assert_array_equal(traces[WORDS["curves_bias"]].y, BIAS[1, 2])
    assert traces[WORDS["curves_mean"]].line.width > traces[WORDS["curves_bias"]].line.width
    assert traces[WORDS["curves_bias"]].line.color == COLOURS["d"]
    others = traces[WORDS["curves_others"]]
    drawn = np.asarray(others.y).reshape(5, 21)
    expected = [(n, h) for n in range(2) for h in range(3) if (n, h) != (1, 2)]
    for line, name, (n, h) in zip(drawn, np.asarray(others.customdata)[::21, 0], expected, strict=True):
        np.testing.assert_array_equal(line[:-1], MEAN[n, h])
        assert np.isnan(line[-1])  # a gap: two heads aren't joined
        assert name == f"layer {n + 1}, head {h + 1}"


def test_one_head_alone_has_no_others():
    assert len(positions.curves(MEAN[:1, :1], BIAS[:1, :1], QUERIES, 0, 0, COLOURS, WORDS).data) == 2


def test_the_past_is_to_the_left():
    for figure in (
        positions.curves(MEAN, BIAS, QUERIES, 0, 0, COLOURS, WORDS),
        positions_folded.sinusoid_map(MEAN[0, 0][:, None], ["#000000", "#ffffff"], WORDS),
    ):
        first, last = figure.layout.xaxis.range
        assert first > last
        assert figure.layout.xaxis.title.text == WORDS["curves_x"]


def test_the_table_of_the_curves_has_every_head():
    facts = positions.curve_facts(MEAN, BIAS, QUERIES, 1, 2, WORDS)
    assert facts[WORDS["curves_distance"]].tolist() == list(range(20))
    assert facts[WORDS["curves_queries"]].tolist() == QUERIES.tolist()
    np.testing.assert_array_equal(facts[WORDS["curves_mean"]], MEAN[1, 2])
    np.testing.assert_array_equal(facts[WORDS["curves_bias"]], BIAS[1, 2])
    np.testing.assert_array_equal(facts["layer 1, head 2"], MEAN[0, 1])


def test_vanilla_is_dashed_beyond_its_training_and_only_there():
    figure = positions.lengths(TRIED, LOSSES, 64, 256, COLOURS, WORDS)
    traces = by_name(figure)
    beyond, within = traces[WORDS["length_vanilla_beyond"]], traces[WORDS["length_vanilla"]]
    assert (list(beyond.x), list(beyond.y), beyond.line.dash) == (TRIED, LOSSES["vanilla"], "dash")
    assert (list(within.x), list(within.y), within.line.dash) == ([64], [4.0], "solid")
    xl = traces[WORDS["length_xl"].format(M=256)]
    assert (list(xl.y), xl.line.dash, xl.line.color) == (LOSSES["xl"], "solid", COLOURS["xl"])
    assert list(traces[WORDS["length_xl_no_memory"]].y) == LOSSES["xl_no_memory"]


def test_the_trained_length_is_marked_and_all_lengths_are_in_sight():
    figure = positions.lengths(TRIED, LOSSES, 64, 256, COLOURS, WORDS)
    (line,) = figure.layout.shapes
    assert line.x0 == line.x1 == 64
    (said,) = figure.layout.annotations
    assert (said.text, said.x) == ("trained with 64", pytest.approx(math.log10(64)))
    low, high = figure.layout.xaxis.range
    assert low < math.log10(64) < math.log10(512) < high
    assert list(figure.layout.xaxis.tickvals) == TRIED


def test_the_table_of_lengths():
    facts = positions.length_facts(TRIED, LOSSES, 64, 256, WORDS)
    assert facts["L"].tolist() == TRIED
    assert facts["Vanilla"].tolist() == LOSSES["vanilla"]
    assert facts["Transformer-XL, M = 256"].tolist() == LOSSES["xl"]
    assert facts[WORDS["length_within"]].tolist() == ["yes", "no", "no"]


def test_the_sinusoids_are_drawn_column_by_column():
    R = RNG.normal(size=(7, 4)).astype(np.float32)
    figure = positions_folded.sinusoid_map(R, ["#0000ff", "#ffffff", "#ff0000"], WORDS)
    np.testing.assert_array_equal(np.asarray(figure.data[0].z), R.T)
    assert (figure.data[0].zmin, figure.data[0].zmax) == (-1, 1)  # centred on zero
    np.testing.assert_array_equal(positions_folded.sinusoid_facts(R, WORDS).to_numpy()[:, 1:], R)


def test_renumbering_has_a_bar_for_the_input_and_each_layer():
    change, left = np.array([0.5, 0.4, 0.3]), np.array([0.0, 0.3, 0.9])
    sizes, bars = positions_folded.renumbering(change, left, COLOURS["vanilla"], WORDS).data
    assert list(bars.y) == ["input E + U", "layer 1", "layer 2"]
    np.testing.assert_allclose(bars.x, [0, 30, 90])
    np.testing.assert_allclose(sizes.x, [50, 40, 30])
    facts = positions_folded.renumbering_facts(change, left, WORDS)
    np.testing.assert_allclose(facts[WORDS["renumber_change"]], [50, 40, 30])
    np.testing.assert_allclose(facts[WORDS["renumber_left"]], [0, 30, 90])
