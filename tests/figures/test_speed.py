"""The figures of the Speed and generation page: what they draw is what they are given."""

from __future__ import annotations

import math

import pandas as pd
import pytest

from txlviz.figures import speed, speed_prompts

COLOURS = {"xl": "#111111", "vanilla": "#222222", "line": "#333333"}


def times(*sources: str) -> pd.DataFrame:
    rows = [
        (A, name, source, A * (n + 1))
        for source in sources
        for n, name in enumerate(("Transformer-XL", "Vanilla"))
        for A in (64, 3800)
    ]
    return pd.DataFrame(rows, columns=["A", "Model", "From", "ms"])


def test_a_line_a_model_in_its_colour() -> None:
    facts = times("recorded").drop(columns="From")
    figure = speed.by_length(facts, "A", "ms", COLOURS)
    assert [(trace.name, trace.line.color, trace.line.dash) for trace in figure.data] == [
        ("Transformer-XL", "#111111", "solid"),
        ("Vanilla", "#222222", "solid"),
    ]
    assert list(figure.data[1].y) == [128, 7600]
    for axis, values in ((figure.layout.xaxis, (64, 3800)), (figure.layout.yaxis, (64, 7600))):
        assert axis.type == "log"
        assert axis.range[0] < math.log10(values[0]) < math.log10(values[1]) < axis.range[1]
    assert (figure.layout.xaxis.title.text, figure.layout.yaxis.title.text) == ("A", "ms")


def test_what_was_measured_last_is_solid() -> None:
    figure = speed.by_length(times("recorded", "now"), "A", "ms", COLOURS)
    assert [trace.line.dash for trace in figure.data] == ["dot", "dot", "solid", "solid"]
    assert figure.data[3].name == "Vanilla, now"


def test_the_papers_values_are_points() -> None:
    rows = [(800, "clock", 300.0), (3800, "clock", 900.0), (800, "The paper's (GPU)", 363.0)]
    figure = speed.speed_up(pd.DataFrame(rows, columns=["A", "From", "times"]), "A", "times", COLOURS)
    assert [trace.mode for trace in figure.data] == ["lines+markers", "markers"]
    assert list(figure.data[1].y) == [363]
    assert figure.data[1].marker.symbol == "diamond-open"


def test_repetition_runs_from_0_to_1() -> None:
    rows = [("distinct-1", name, value, 9) for name, value in (("Transformer-XL", 0.5), ("Vanilla", None))]
    figure = speed.repetition(pd.DataFrame(rows, columns=["Measure", "Model", "Share (0 to 1)", "Tokens"]), COLOURS)
    assert tuple(figure.layout.xaxis.range) == (0, 1)
    bars = {bar.name: bar for bar in figure.data}
    assert list(bars["Transformer-XL"].x) == [0.5]
    assert bars["Transformer-XL"].marker.color == "#111111"


def test_every_text_has_its_dumbbells() -> None:
    rows = [
        ("one", "XL", 0.1, 0.01),
        ("two", "XL", 0.2, 0.3),
        ("one", "V", 0.5, 0.5),
        ("two", "V", 0.6, 0.6),
        ("one", "no", 9, 9),
    ]
    columns = [speed_prompts.TEXT, speed_prompts.MODEL, speed_prompts.WITH, speed_prompts.WITHOUT]
    figure = speed_prompts.dumbbells(pd.DataFrame(rows, columns=columns), {"xl": "XL", "vanilla": "V"}, COLOURS)
    drawn = {trace.name: trace for trace in figure.data if trace.mode == "markers"}
    assert list(drawn["XL: mention in place"].x) == [0.1, 0.2]
    assert list(drawn["XL: mention replaced"].x) == [0.01, 0.3]
    assert drawn["XL: mention replaced"].marker.symbol == "circle-open"
    assert list(drawn["V: mention in place"].x) == [0.5, 0.6]
    assert list(figure.layout.yaxis.ticktext) == ["one", "two"]
    assert figure.layout.yaxis.range[0] > figure.layout.yaxis.range[1], "the first text is on top"
    assert figure.layout.xaxis.type == "log"
    low, high = figure.layout.xaxis.range
    assert low <= math.log10(0.01) < math.log10(0.6) < high


@pytest.mark.parametrize(
    ("lead", "power", "shown"), [(1, 0, "1"), (2, -2, "0.02"), (5, 1, "50"), (1, 3, "1,000"), (2, 7, "20 M"), (1, 9, "1 G")]
)
def test_ticks_are_short(lead: int, power: int, shown: str) -> None:
    assert speed._short(lead, power) == shown
