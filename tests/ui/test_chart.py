"""A chart's title and facts, as the browser gets them."""

from __future__ import annotations

import json

from streamlit.testing.v1 import AppTest


def draws() -> None:
    import altair as alt
    import pandas as pd
    from plotly.graph_objects import Figure, Scatter

    from txlviz.ui.chart import chart

    facts = pd.DataFrame({"x": [1, 2], "loss (nats)": [3.12345678, float("nan")], "token": ["<b>", "b"]})
    chart(alt.Chart(facts).mark_line().encode(x="x"), facts, title="It falls", name="falls", alt="a line", key="one")
    chart(Figure(Scatter(x=[1], y=[2])), facts, title="Again", name="again", alt="a point", key="two")


def test_title_and_facts_go_along_as_data() -> None:
    at = AppTest.from_function(draws, default_timeout=60).run()
    assert not at.exception
    heads = [json.loads(one.proto.json) for one in at.get("bidi_component")]
    assert [head["title"] for head in heads] == ["It falls", "Again"]
    assert heads[0]["heads"] == ["x", "loss (nats)", "token"]
    assert heads[0]["rows"] == [[1, 3.12346, "<b>"], [2, None, "b"]]
    assert heads[0]["target"] != heads[1]["target"]
