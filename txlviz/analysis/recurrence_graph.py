"""Two ways to carry a past: recurrence within a layer (RNN) and across layers (Transformer-XL), as graphs."""

from __future__ import annotations

from dataclasses import dataclass

from txlviz.models.attention import visible_keys

Node = tuple[int, int]
"""(layer, place); layer 0 are the inputs."""
Edge = tuple[Node, Node]
"""The second node is computed from the first."""


@dataclass(frozen=True)
class Graph:
    """N layers over T places."""

    n_layers: int
    places: int
    edges: tuple[Edge, ...]

    def ancestors(self, node: Node) -> frozenset[Node]:
        """All nodes that ``node`` depends on, itself included."""
        sources = _sources(self.edges)
        found, open_ = {node}, [node]
        while open_:
            for source in sources.get(open_.pop(), ()):
                if source not in found:
                    found.add(source)
                    open_.append(source)
        return frozenset(found)

    def path(self, first: Node, last: Node) -> tuple[Edge, ...]:
        """A shortest way from ``first`` to ``last``, edge by edge; empty where there is none."""
        sources = _sources(self.edges)
        towards: dict[Node, Node] = {last: last}
        row = [last]
        while row and first not in towards:
            ahead = []
            for node in row:
                for source in sources.get(node, ()):
                    if source not in towards:
                        towards[source] = node
                        ahead.append(source)
            row = ahead
        way: list[Edge] = []
        node = first
        while node in towards and node != last:
            way.append((node, towards[node]))
            node = towards[node]
        return tuple(way)


def rnn(n_layers: int, places: int) -> Graph:
    """The state of layer n at t is computed from the layer below at t and from the same layer at t - 1."""
    below = [((n - 1, t), (n, t)) for n in range(1, n_layers + 1) for t in range(places)]
    before = [((n, t - 1), (n, t)) for n in range(1, n_layers + 1) for t in range(1, places)]
    return Graph(n_layers, places, (*below, *before))


def transformer_xl(n_layers: int, segment_length: int, memory_length: int, n_segments: int) -> Graph:
    """The state of layer n is computed from the rows of layer n - 1 that the model's mask lets it see, memory included."""
    edges = []
    for segment in range(n_segments):
        start = segment * segment_length
        first_key = max(0, start - memory_length)
        visible = visible_keys(segment_length, start + segment_length - first_key)
        for query, key in visible.nonzero().tolist():
            edges += [((n - 1, first_key + key), (n, start + query)) for n in range(1, n_layers + 1)]
    return Graph(n_layers, n_segments * segment_length, tuple(edges))


def _sources(edges: tuple[Edge, ...]) -> dict[Node, list[Node]]:
    sources: dict[Node, list[Node]] = {}
    for source, target in edges:
        sources.setdefault(target, []).append(source)
    return sources
