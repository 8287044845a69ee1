"""The two graphs: what they connect, and how long their ways are."""

from __future__ import annotations

from itertools import pairwise

import pytest

from txlviz import memory_span
from txlviz.analysis.recurrence_graph import rnn, transformer_xl


def test_an_rnn_hands_on_within_a_layer() -> None:
    graph = rnn(2, 5)
    assert set(graph.edges) >= {((0, 0), (1, 0)), ((1, 0), (1, 1)), ((2, 3), (2, 4))}
    assert not any(a[0] == b[0] == 0 for a, b in graph.edges), "inputs don't depend on each other"
    assert graph.ancestors((2, 4)) == {(n, t) for n in range(3) for t in range(5)}
    assert len(graph.path((0, 0), (2, 4))) == 4 + 2


@pytest.mark.parametrize(("N", "L", "M"), [(2, 4, 4), (3, 4, 3), (2, 4, 0), (2, 3, 5)])
def test_the_transformer_xl_reads_across_layers(N: int, L: int, M: int) -> None:
    segments = 8
    graph = transformer_xl(N, L, M, segments)
    assert all(target[0] == source[0] + 1 and source[1] <= target[1] for source, target in graph.edges)
    last = (N, graph.places - 1)
    oldest = min(place for layer, place in graph.ancestors(last) if layer == 0)
    assert last[1] - oldest == memory_span(N, L, M)[-1, -1]
    way = graph.path((0, oldest), last)
    assert len(way) == N
    assert way[0][0] == (0, oldest)
    assert way[-1][1] == last
    assert all(edge in graph.edges for edge in way)
    assert all(a[1] == b[0] for a, b in pairwise(way))


def test_there_is_no_way_from_what_has_expired() -> None:
    assert transformer_xl(2, 4, 4, 4).path((0, 3), (2, 15)) == ()
