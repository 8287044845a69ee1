"""The study's figures: every number given is drawn, in its model's colour."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from txlviz.figures import study, study_tokens

COLOURS = {"xl": "#111111", "vanilla": "#222222", "line": "#333333", "paper": "#444444"}
SCORES = {study.VANILLA: 50.0, study.BEST: 48.0, study.XL: 40.0}


def test_bars_start_at_zero_and_have_their_colours() -> None:
    figure = study.bars(SCORES, None, "Perplexity", COLOURS)
    assert [(bar.y[0], bar.x[0], bar.marker.color) for bar in figure.data] == [
        (study.VANILLA, 50.0, "#222222"),
        (study.BEST, 48.0, "#222222"),
        (study.XL, 40.0, "#111111"),
    ]
    assert figure.layout.xaxis.range[0] == 0
    assert figure.layout.xaxis.range[1] > 50
    assert list(figure.layout.yaxis.categoryarray)[::-1] == list(SCORES)


def test_a_hidden_score_is_nowhere_in_the_figure() -> None:
    figure = study.bars({**SCORES, study.XL: None}, study.Guess(45.0, "your guess"), "Perplexity", COLOURS)
    assert "40" not in [text for bar in figure.data for text in bar.text or ()]
    assert sorted(bar.x[0] for bar in figure.data) == [45.0, 48.0, 50.0]
    (guess,) = [bar for bar in figure.data if bar.name == "your guess"]
    assert guess.y[0] == study.XL
    assert guess.marker.color == "rgba(0,0,0,0)"


def test_a_guess_beyond_all_bars_fits() -> None:
    figure = study.bars(SCORES, study.Guess(60.0, "your guess"), "Perplexity", COLOURS)
    assert figure.layout.xaxis.range[1] > 60


@pytest.fixture
def curve_facts() -> pd.DataFrame:
    n = 20
    curve = {
        "step": [10 * k for k in range(1, n + 1)],
        "tokens": [20_480 * k for k in range(1, n + 1)],
        "loss": [5 - 0.1 * k for k in range(1, n + 1)],
        "valid_loss": [4 - 0.01 * k if k % 5 == 0 else None for k in range(1, n + 1)],
    }
    return study.curve_facts({"xl": curve, "vanilla": curve}, 10, {"xl": 3.0, "vanilla": 1.5})


def test_curve_facts_by_hand(curve_facts: pd.DataFrame) -> None:
    xl = curve_facts[curve_facts["Model"] == study.XL]
    valid, train = (xl[xl["Loss on"] == part] for part in (study.VALID, study.TRAIN))
    assert valid["Step"].tolist() == [50, 100, 150, 200]
    assert valid["Loss (nats a token)"].tolist() == [3.95, 3.9, 3.85, 3.8]
    assert valid[study.SECONDS].tolist() == [150, 300, 450, 600]
    assert valid["Tokens read (millions)"].tolist() == pytest.approx([0.1024, 0.2048, 0.3072, 0.4096])
    assert train["Step"].tolist() == [100, 200]
    assert train["Loss (nats a token)"].tolist() == pytest.approx([5 - 0.1 * 5.5, 5 - 0.1 * 15.5])
    vanilla = curve_facts[curve_facts["Model"] == study.VANILLA]
    assert vanilla[study.SECONDS].max() == 300


@pytest.mark.parametrize("by", [study.TOKENS, study.SECONDS])
def test_curves_draw_all_points(curve_facts: pd.DataFrame, by: str) -> None:
    figure = study.curves(curve_facts, by, 3.8, COLOURS, "last")
    assert len(figure.data) == 4
    assert sorted(x for line in figure.data for x in line.x) == sorted(curve_facts[by])
    assert {line.name: line.line.color for line in figure.data}["Transformer-XL, validation"] == "#111111"
    assert figure.layout.xaxis.title.text == by
    low, high = figure.layout.yaxis.range
    assert all(low < y < high for line in figure.data for y in line.y)
    assert figure.layout.shapes[0].y0 == 3.8


def test_the_difference_is_drawn_in_the_colour_of_the_better_model() -> None:
    gap = {"edges": [-0.5, -0.25, 0.0, 0.25, 0.5], "counts": [1, 2, 3, 4]}
    facts = study_tokens.gap_facts(gap)
    assert facts[study_tokens.SHARE].tolist() == [10, 20, 30, 40]
    assert facts["Better"].tolist() == ["Vanilla", "Vanilla", "Transformer-XL", "Transformer-XL"]
    figure = study_tokens.gap(facts, COLOURS)
    vanilla, xl = figure.data
    assert (list(vanilla.y), vanilla.marker.color) == ([10, 20], "#222222")
    assert (list(xl.y), xl.marker.color) == ([30, 40], "#111111")
    assert vanilla.hovertext[0].startswith("below -0.25")
    assert xl.hovertext[-1].startswith("0.25 and more")


def test_gains_have_a_bar_each_class_and_memory() -> None:
    gain = {"64": {"mean": 0.1, "standard_error": 0.01}, "256": {"mean": 0.2, "standard_error": 0.02}}
    loss = {"vanilla": 3.0, "xl_0": 3.1, "xl_64": 3.0, "xl_256": 2.9}
    classes = [{"name": name, "tokens": 5, "gain": gain, "loss": loss} for name in ("near", "far", "never")]
    facts = study_tokens.gain_facts(classes)
    assert len(facts) == 6
    assert facts["Transformer-XL with this M (nats)"].tolist() == [3.0, 2.9] * 3
    figure = study_tokens.gains(facts, COLOURS)
    bars = {bar.name: bar for bar in figure.data}
    assert list(bars["M = 256 instead of 0"].x) == [0.2] * 3
    np.testing.assert_allclose(bars["M = 64 instead of 0"].error_x.array, 0.02)
    assert bars["M = 64 instead of 0"].marker.color == "rgba(17,17,17,0.45)"
    assert bars["M = 256 instead of 0"].marker.color == "#111111"
    assert list(figure.layout.yaxis.categoryarray) == ["never", "far", "near"]
