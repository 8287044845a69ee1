"""The relative shift, step by step: against the definition by a double loop, and against the model's own strided view."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from txlviz.analysis.shift_steps import STEPS, dot, double_loop, shift_steps
from txlviz.models.positions import relative_shift

SHAPES = [(L, K) for L, K in itertools.product(range(1, 8), range(1, 13)) if L <= K]


def matrix(L, K):
    return np.random.default_rng(100 * L + K).normal(size=(L, K))


@pytest.mark.parametrize(("L", "K"), SHAPES)
def test_the_steps_the_strided_view_and_the_double_loop_agree_exactly(L, K):
    by_distance = matrix(L, K)
    ours = shift_steps(by_distance).matrices[-1]
    loop = double_loop(L, K, lambda i, distance: by_distance[i, K - 1 - distance])
    strided = relative_shift(torch.from_numpy(by_distance)).numpy()
    np.testing.assert_array_equal(ours, loop)
    np.testing.assert_array_equal(ours, strided)


def test_the_double_loop_calls_for_each_visible_pair_with_its_distance():
    asked = []
    out = double_loop(2, 3, lambda i, distance: asked.append((i, distance)) or float(10 * i + distance))
    assert asked == [(0, 1), (0, 0), (1, 2), (1, 1), (1, 0)]
    np.testing.assert_array_equal(out, [[1, 0, -np.inf], [12, 11, 10]])


def test_the_steps_of_the_papers_appendix_written_out():
    pad, reshape, drop, back, mask = shift_steps([[2, 1, 0], [12, 11, 10]]).matrices[1:]
    np.testing.assert_array_equal(pad, [[0, 2, 1, 0], [0, 12, 11, 10]])
    np.testing.assert_array_equal(reshape, [[0, 2], [1, 0], [0, 12], [11, 10]])
    np.testing.assert_array_equal(drop, [[1, 0], [0, 12], [11, 10]])
    np.testing.assert_array_equal(back, [[1, 0, 0], [12, 11, 10]])
    np.testing.assert_array_equal(mask, [[1, 0, -np.inf], [12, 11, 10]])


@pytest.mark.parametrize(("L", "K"), SHAPES)
def test_every_cell_stands_where_the_matrices_say(L, K):
    steps = shift_steps(matrix(L, K))
    values = steps.matrices[1].ravel()
    assert steps.places.shape == (len(STEPS), L * (K + 1), 2)
    for name, shown, places in zip(STEPS, steps.matrices, steps.places, strict=True):
        rebuilt = np.full(shown.shape, np.nan)
        there = places[:, 0] >= 0
        assert there.sum() == shown.size  # one cell for each place, and none left over
        rebuilt[tuple(places[there].T)] = values[there]
        expected = np.where(steps.garbage, rebuilt, shown) if name == "mask" else shown
        np.testing.assert_array_equal(rebuilt, expected)
        assert (places[~there] == -1).all()


@pytest.mark.parametrize(("L", "K"), SHAPES)
def test_garbage_is_the_future_and_holds_padding_and_the_next_rows_values(L, K):
    steps = shift_steps(matrix(L, K))
    for i, j in itertools.product(range(L), range(K)):
        assert steps.garbage[i, j] == (j > K - L + i)
    final = steps.places[STEPS.index("back")]
    for n, (row, column) in enumerate(final):
        origin, slot = divmod(n, K + 1)
        if row >= 0 and steps.garbage[row, column]:
            assert origin == row + 1
        elif row >= 0:
            assert origin == row
            assert slot > 0  # padding never gets among the visible


def test_only_what_no_query_needs_is_dropped():
    L, K = 4, 7
    dropped = np.nonzero(shift_steps(matrix(L, K)).places[STEPS.index("drop"), :, 0] < 0)[0]
    assert dropped.tolist() == [0, 1, 2, 3]  # the first query's padding, and its distances 6, 5, 4: it sees 3 back at most


@pytest.mark.parametrize("shape", [(3, 2), (0, 3), (4,), (2, 2, 2)])
def test_other_shapes_are_refused(shape):
    with pytest.raises(ValueError, match="K >= L"):
        shift_steps(np.zeros(shape))


@given(st.lists(st.tuples(st.floats(-1e6, 1e6, width=32), st.floats(-1e6, 1e6, width=32)), min_size=1, max_size=40))
def test_the_scalar_product_has_the_same_bits_in_any_order(pairs):
    x, y = (np.array(side) for side in zip(*pairs, strict=True))
    order = np.random.default_rng(0).permutation(len(x))
    assert dot(x, y) == dot(x[order], y[order])
