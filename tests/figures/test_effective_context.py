"""The figures of effective context: what stands where, on one axis; nothing of a text read as markup."""

from __future__ import annotations

import numpy as np
import pytest

from txlviz.figures.effective_context import Curve, Reach, reach_and_loss, reach_and_loss_facts
from txlviz.figures.effective_context_arcs import arcs, arcs_facts
from txlviz.figures.effective_context_live import Line, by_distance, by_distance_facts, gains, gains_facts
from txlviz.ui.effective_context.words import labels

WORDS = labels()
COLOURS = {"xl": "#332288", "vanilla": "#6b6b6b", "line": "#222222"}
CONTEXTS = (1, 16, 64, 80, 96)
REACHES = [
    Reach("XL, layer 1", "xl", 65, 96.5, 128),
    Reach("XL, layer 2", "xl", 129, 160.5, 192),
    Reach("Vanilla", "vanilla", 1, 32.5, 64),
]
CURVES = [
    Curve("xl", "Transformer-XL", [6, 5, 4, 3.9, 3.9], [5.9] * 5, [6.1] * 5, 80),
    Curve("vanilla", "Vanilla", [5.5, 5, 4.5, 6, 7], [5.4] * 5, [5.6] * 5, 64),
]


def by_name(figure, name):
    (found,) = [trace for trace in figure.data if trace.name == name]
    return found


def test_bars_and_curves_share_an_axis_that_grows_to_the_right():
    figure = reach_and_loss(REACHES, CURVES, CONTEXTS, 64, COLOURS, WORDS)
    assert figure.layout.xaxis.matches == "x2"
    assert figure.layout.xaxis.type == figure.layout.xaxis2.type == "log"
    low, high = figure.layout.xaxis2.range
    assert low < 0
    assert 10**high > 192
    bars = [
        (trace.line.color, trace.opacity, trace.x[-1]) for trace in figure.data if trace.yaxis == "y" and trace.mode == "lines"
    ]
    assert bars[::2] == [("#6b6b6b", 0.3, 64), ("#332288", 0.3, 192), ("#332288", 0.3, 128)]
    assert bars[1::2] == [("#6b6b6b", 1.0, 1), ("#332288", 1.0, 129), ("#332288", 1.0, 65)]
    assert list(figure.layout.yaxis.ticktext) == ["Vanilla", "XL, layer 2", "XL, layer 1"]


def test_vanilla_is_dashed_beyond_what_it_was_trained_with():
    figure = reach_and_loss(REACHES, CURVES, CONTEXTS, 64, COLOURS, WORDS)
    solid, dashed = by_name(figure, "Vanilla"), by_name(figure, "Vanilla beyond 64")
    assert (solid.line.dash, dashed.line.dash) == ("solid", "dash")
    assert list(solid.x) == [1, 16, 64]
    assert list(dashed.x) == [64, 80, 96]
    xl = by_name(figure, "Transformer-XL")
    assert (list(xl.x), list(xl.y), xl.line.color) == (list(CONTEXTS), CURVES[0].mean, "#332288")
    assert any(trace.text == ("flat from c = 80",) and trace.x == (80,) for trace in figure.data)
    facts = reach_and_loss_facts(REACHES, CURVES, CONTEXTS, 64, WORDS)
    assert len(facts) == 3 + 2 * 5
    assert (facts[WORDS["fact_note"]] == WORDS["fact_beyond"]).sum() == 2


def test_distances_have_the_past_to_the_left():
    lines = [Line("xl", "mean", [3.0, 2.0, 1.0]), Line("vanilla", "<b>“%{x}”", [1.0, 0.5], one_token=True)]
    figure = by_distance((4, 16, 64), lines, COLOURS, WORDS)
    left, right = figure.layout.xaxis.range
    assert 10**left > 64 > 4 > 10**right
    assert list(figure.data[1].x) == [4, 16]
    said = figure.data[1].name + figure.data[1].hovertemplate.split("<br>")[0]
    assert "<b>" not in said
    assert "%{" not in said
    facts = by_distance_facts((4, 16, 64), lines, WORDS)
    assert facts.iloc[:, 1].tolist() == [3.0, 2.0, 1.0]
    assert np.isnan(facts.iloc[2, 2])


def test_arcs_go_forward_with_the_width_of_the_change():
    tokens = [f"t{n}" for n in range(12)]
    xl, vanilla = np.full(12, np.nan), np.full(12, np.nan)
    xl[3:] = [0.01, 2.0, -1.0, 0, 0, 0, 0, 0, 0.5]
    vanilla[3:] = [3.0, 0, 0, 0, 0, 0, 0, 0, 0]
    figure = arcs(2, tokens, {"xl": xl, "vanilla": vanilla}, [0, 4, 8], COLOURS, WORDS, least=0.05, most_arcs=2)
    drawn = [trace for trace in figure.data if trace.mode == "lines"]
    assert [(round(trace.x[0]), round(trace.x[-1]), trace.line.color) for trace in drawn] == [
        (2, 5, "#332288"),
        (2, 4, "#332288"),
        (2, 3, "#6b6b6b"),
    ]
    assert [trace.line.dash for trace in drawn] == ["dot", "solid", "solid"]
    assert drawn[1].line.width == 2 * drawn[0].line.width == pytest.approx(6.0)
    assert min(drawn[0].y) > -1e-9
    assert max(drawn[2].y) < 1e-9
    cuts = [shape.x0 for shape in figure.layout.shapes if shape.x0 == shape.x1]
    assert cuts == [3.5, 7.5]
    facts = arcs_facts(2, tokens, {"xl": (xl * 0, xl), "vanilla": (vanilla * 0, vanilla)}, WORDS)
    assert len(facts) == 9
    assert facts.iloc[1].tolist() == [4, "t4", 0.0, 2.0, 2.0, 0.0, 0.0, 0.0]


def test_tokens_are_not_read_as_markup():
    change = np.array([np.nan, np.nan, 1.0])
    figure = arcs(1, ["a", "b", "<b>%{x}"], {"xl": change, "vanilla": change}, [0], COLOURS, WORDS, least=0.05, most_arcs=9)
    for trace in figure.data:
        for said in [trace.hovertemplate] if isinstance(trace.hovertemplate, str) else trace.hovertemplate or ():
            assert "<b>" not in said
            assert "%{" not in said


def test_gains_in_percent():
    figure = gains([16, 32, 48], {"xl": [0.5, 0.1]}, {"xl": [0.7, -0.1]}, 0.01, COLOURS, WORDS)
    assert list(figure.data[0].y) == [50.0, 10.0]
    assert list(figure.data[1].y) == pytest.approx([100 * (1 - np.exp(-0.7)), 100 * (1 - np.exp(0.1))])
    assert figure.layout.shapes[0].y0 == 1.0
    facts = gains_facts([16, 32, 48], {"xl": [0.5, 0.1]}, {"xl": [0.7, -0.1]}, WORDS)
    assert facts.iloc[0].tolist() == [16, 32, 50.0, 0.7]
