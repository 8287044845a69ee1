"""The drawn graphs are the graphs that were given."""

from __future__ import annotations

from txlviz.analysis.recurrence_graph import transformer_xl
from txlviz.figures.recurrence_graph import graph


def test_nodes_edges_and_the_way() -> None:
    xl = transformer_xl(2, 3, 3, 3)
    reached = xl.ancestors((2, 8))
    way = xl.path((0, 1), (2, 8))
    chart, facts = graph(xl.edges, way, reached, (0, 3, 6), colour="#332288", name="hidden state")
    lines, cuts, strong, nodes = (chart.to_dict()["datasets"][layer["data"]["name"]] for layer in chart.to_dict()["layer"])
    assert {((e["layer"], e["place"]), (e["to layer"], e["to place"])) for e in lines} == set(xl.edges)
    assert [((e["layer"], e["place"]), (e["to layer"], e["to place"])) for e in strong] == list(way)
    assert {(n["layer"], n["place"]) for n in nodes if n["the last output depends on it"] == "yes"} == set(reached)
    assert [cut["place"] for cut in cuts] == [2.5, 5.5]
    assert len(facts) == len(way)
