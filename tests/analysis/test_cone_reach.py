"""Reachability against the formula, against the definition by brute force, and against the span: through one implementation."""

from __future__ import annotations

import math

import numpy as np
import pytest

from txlviz import memory_span
from txlviz.analysis.reach import first_visible, reachable

LENGTHS, MEMORIES = (4, 8, 12), (0, 3, 4, 8, 12, 20)


def formula(layers: int, L: int, M: int, p: int) -> int:
    """Tokens back that the output of so many layers reaches at position p, memories full."""
    return p + (M + (layers - 1) * L * math.ceil(M / L) if M and layers else 0) if layers else 0


def depends(N: int, L: int, M: int, total: int, same_length: bool = False) -> list[list[set[tuple[int, int]]]]:
    """By the definition, node by node: (row, place) to the nodes that it is computed from, itself among them."""
    table = [[{(0, j)} for j in range(total)]]
    for n in range(1, N + 1):
        row = []
        for i in range(total):
            start = i // L * L
            keys = [j for j in range(max(0, start - M), i + 1) if not same_length or i - j <= M]
            row.append({(n, i)}.union(*(table[n - 1][j] for j in keys)))
        table.append(row)
    return table


@pytest.mark.parametrize("M", MEMORIES)
@pytest.mark.parametrize("L", LENGTHS)
def test_reachability_equals_the_formula(L: int, M: int) -> None:
    for N in range(1, 7):
        span = memory_span(N, L, M)
        total = (int(span.max()) // L + 2) * L
        for p in range(L):
            place = total - L + p
            found = reachable(N, L, M, place, total)
            assert found.shape == (N + 1, total)
            for row in range(N + 1):
                back = place - np.arange(total)
                expected = (back >= 0) & (back <= formula(N - row, L, M, p))
                np.testing.assert_array_equal(found[row], expected, err_msg=f"{(N, L, M, p, row)}")
            assert place - found[0].argmax() == span[N - 1, p]


@pytest.mark.parametrize("same_length", [False, True])
@pytest.mark.parametrize(("L", "M"), [(4, 0), (4, 3), (4, 4), (3, 8), (5, 7)])
def test_reachability_equals_the_definition_from_an_empty_memory_on(L: int, M: int, same_length: bool) -> None:
    N, total = 3, 23  # the last segment is short
    table = depends(N, L, M, total, same_length)
    for place in range(total):
        expected = np.zeros((N + 1, total), dtype=bool)
        for node in table[N][place]:
            expected[node] = True
        np.testing.assert_array_equal(reachable(N, L, M, place, total, same_length=same_length), expected)


def test_several_places_are_the_union() -> None:
    one, other = (reachable(2, 4, 3, place, 20) for place in (9, 15))
    np.testing.assert_array_equal(reachable(2, 4, 3, [9, 15], 20), one | other)


@pytest.mark.parametrize("same_length", [False, True])
@pytest.mark.parametrize(("L", "M"), [(4, 0), (4, 3), (3, 8)])
def test_each_query_sees_all_from_the_first_to_itself(L: int, M: int, same_length: bool) -> None:
    first = first_visible(L, M, 18, same_length=same_length)
    for place in range(18):
        below = reachable(1, L, M, place, 18, same_length=same_length)[0]
        assert np.flatnonzero(below).tolist() == list(range(first[place], place + 1))


@pytest.mark.parametrize(("sizes", "place"), [((0, 4, 4), 0), ((1, 0, 4), 0), ((1, 4, -1), 0)])
def test_sizes_that_make_no_sense(sizes: tuple[int, int, int], place: int) -> None:
    with pytest.raises(ValueError, match="no span"):
        reachable(*sizes, place, 8)


@pytest.mark.parametrize("place", [-1, 8, []])
def test_places_outside_the_text(place: int | list[int]) -> None:
    with pytest.raises(ValueError, match="no place"):
        reachable(1, 4, 4, place, 8)
