"""The small real matrix: the model's own numbers, and three ways to one result."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

import txlviz
from tests.analysis import small
from txlviz.analysis.layer_inputs import layer_inputs
from txlviz.analysis.shift_window import fitting, shift_window

SHIPPED = Path(__file__).parents[2] / "checkpoints"
TEXT = "The river rises in the hills and flows past the old mill, which Thomas Calder built. The river is wide."


@pytest.fixture(scope="module", params=["small", "wikitext2-2l", "wikitext2-4l"])
def xl(request):
    return small.checkpoint("xl") if request.param == "small" else txlviz.load(SHIPPED / request.param / "xl")


@pytest.mark.parametrize(("n_queries", "n_keys"), [(3, 3), (4, 7), (6, 12)])
def test_it_holds_the_terms_of_the_forward_pass(xl, n_queries, n_keys):
    L, M, last = 8, 16, 23
    run = txlviz.trace(xl, TEXT, L, M, record=[2])
    inputs = layer_inputs(xl, TEXT, L, M)
    for layer in (0, xl.config.n_layers - 1):
        for head in range(xl.config.n_heads):
            window = shift_window(xl, inputs, layer, head, last, n_queries, n_keys)
            terms, scale = run.segments[2].layers[layer].terms, math.sqrt(run.d_head)
            columns = slice(24 - n_keys, 24)  # the segment's keys begin at place 0
            visible = ~window.steps.garbage
            for found, term in ((window.brute_b, "b"), (window.brute_d, "d")):
                expected = terms[term][head, 8 - n_queries :, columns] / scale
                np.testing.assert_allclose(found[visible], expected[visible], rtol=1e-4, atol=2e-5)
            assert window.first_key == 24 - n_keys


@pytest.mark.parametrize(("n_queries", "n_keys"), [(1, 1), (3, 3), (4, 7), (6, 6), (6, 12)])
def test_all_three_ways_agree_bit_for_bit(xl, n_queries, n_keys):
    window = shift_window(xl, layer_inputs(xl, TEXT, 8, 16), 1, 2, 20, n_queries, n_keys)
    assert window.agree
    np.testing.assert_array_equal(window.steps.matrices[-1], window.brute)
    np.testing.assert_array_equal(window.strided, window.brute)
    np.testing.assert_array_equal(window.steps.matrices[0], window.b + window.d)
    assert window.projections == (n_keys, int((~window.steps.garbage).sum()))


def test_agree_is_false_where_one_cell_differs(xl):
    window = shift_window(xl, layer_inputs(xl, TEXT, 8, 16), 0, 0, 20, 3, 5)
    window.strided[1, 0] += 1e-12
    assert not window.agree


def test_a_window_that_would_begin_before_the_text_is_moved(xl):
    inputs = layer_inputs(xl, TEXT, 8, 16)
    early, first = (shift_window(xl, inputs, 0, 0, last, 3, 6) for last in (0, 5))
    assert early.first_key == first.first_key == 0
    np.testing.assert_array_equal(early.brute, first.brute)


def test_sizes_fit_a_short_text():
    assert fitting(4, 7, 100) == (4, 7)
    assert fitting(4, 7, 5) == (4, 5)
    assert fitting(6, 12, 2) == (2, 2)


def test_what_does_not_fit_is_refused(xl):
    inputs = layer_inputs(xl, "ab", 8, 16)
    with pytest.raises(ValueError, match="don't fit"):
        shift_window(xl, inputs, 0, 0, 1, 4, 70)
    with pytest.raises(ValueError, match="no layer 9"):
        shift_window(xl, inputs, 9, 0, 1, 1, 1)
    with pytest.raises(ValueError, match="vanilla"):
        shift_window(small.checkpoint("vanilla"), inputs, 0, 0, 1, 1, 1)
