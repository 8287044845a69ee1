"""Position curves: against the mean of (b) and (d) over every query and key of a trace, cell by cell."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

import txlviz
from tests.analysis import small
from txlviz.analysis.layer_inputs import layer_inputs
from txlviz.analysis.position_curves import position_curves, sinusoid_table

SHIPPED = Path(__file__).parents[2] / "checkpoints/wikitext2-4l/xl"


def by_hand(xl, text, L, M):
    """(b) + (d) and (d), each cell added to the place of its distance."""
    run = txlviz.trace(xl, text, L, M)
    N, H, T = xl.config.n_layers, xl.config.n_heads, len(run.inputs)
    total, bias, count = np.zeros((N, H, T)), np.zeros((N, H, T)), np.zeros((N, T), dtype=int)
    for segment in run.segments:
        for n, layer in enumerate(segment.layers):
            for row, column in zip(*np.nonzero(layer.visible), strict=True):
                distance = (segment.start + row) - (segment.first_key + column)
                b, d = (layer.terms[term][:, row, column] / math.sqrt(run.d_head) for term in "bd")
                total[n, :, distance] += b + d
                bias[n, :, distance] = d
                count[n, distance] += 1
    K = int(np.nonzero(count[0])[0][-1]) + 1
    return (total[..., :K] / count[:, None, :K]), bias[..., :K], count[0, :K]


@pytest.mark.parametrize(("L", "M"), [(16, 16), (8, 3), (8, 40), (9, 0), (500, 16)])
def test_the_curves_are_the_means_of_the_traced_terms(L, M):
    xl = small.checkpoint("xl")
    mean, bias, queries = by_hand(xl, small.TEXT, L, M)
    found = position_curves(xl, layer_inputs(xl, small.TEXT, L, M))
    np.testing.assert_allclose(found.mean, mean, rtol=1e-3, atol=1e-3 * np.abs(mean).max())
    np.testing.assert_allclose(found.bias, bias, rtol=1e-3, atol=1e-3 * np.abs(bias).max())
    assert found.queries.tolist() == queries.tolist()


def test_the_same_for_a_shipped_model():
    xl = txlviz.load(SHIPPED)
    text = small.TEXT[:150]
    mean, bias, queries = by_hand(xl, text, 16, 20)
    found = position_curves(xl, layer_inputs(xl, text, 16, 20))
    np.testing.assert_allclose(found.mean, mean, atol=1e-4)
    np.testing.assert_allclose(found.bias, bias, atol=1e-4)
    assert found.queries.tolist() == queries.tolist()


def test_d_alone_is_the_same_for_any_text():
    xl = small.checkpoint("xl")
    one, other = (position_curves(xl, layer_inputs(xl, text, 8, 8)) for text in (small.TEXT, small.TEXT[::-1]))
    np.testing.assert_array_equal(one.bias, other.bias)
    assert np.abs(one.mean - other.mean).max() > 0.01


def test_the_table_is_sines_then_cosines():
    R = sinusoid_table(5, 6)
    for n in range(5):
        angles = [n / 10000 ** (2 * k / 6) for k in range(3)]
        np.testing.assert_allclose(R[n], [math.sin(a) for a in angles] + [math.cos(a) for a in angles], atol=1e-6)


def test_the_vanilla_model_is_refused():
    with pytest.raises(ValueError, match="vanilla"):
        position_curves(small.checkpoint("vanilla"), layer_inputs(small.checkpoint("xl"), small.TEXT))
