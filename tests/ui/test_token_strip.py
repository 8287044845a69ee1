"""What the token strip is given, and what it takes back."""

from __future__ import annotations

import json
import math

from streamlit.testing.v1 import AppTest

from txlviz.ui.token_strip import _place, _rounded, per_place


def strip() -> None:
    from txlviz.ui.token_strip import Arc, token_strip

    place = token_strip(
        ["↵", "<b>", "␣x"],
        [0, 2],
        xl=[None, 1.23456789, float("nan")],
        arcs=[Arc(2, 1, 0.5, "half")],
        memory=(0, 2),
        selected=1,
        on_select=lambda place: None,
        key="strip",
    )
    assert place is None


def test_the_data_are_what_was_given() -> None:
    at = AppTest.from_function(strip).run()
    assert not at.exception
    data = json.loads(at.get("bidi_component")[0].proto.json)
    assert data["tokens"] == ["↵", "<b>", "␣x"]
    assert data["xl"] == [None, 1.2346, None]
    assert data["vanilla"] is None
    assert data["arcs"] == [{"source": 2, "target": 1, "value": 0.5, "label": "half"}]
    assert (data["memory"], data["selected"], data["selectable"]) == ([0, 2], 1, True)


def test_losses_move_to_their_places() -> None:
    assert per_place([0.5, 1.5]) == [None, 0.5, 1.5]
    assert _rounded([None, math.inf, 0.123456]) == [None, None, 0.1235]


def test_a_place_from_the_browser_is_checked() -> None:
    assert _place({"pick": 2}, 3) == 2
    for made_up in (-1, 3, "2", None, 1.5, [1]):
        assert _place({"pick": made_up}, 3) is None
