"""Numbers that collide, and states that can't be renumbered."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
import torch

import txlviz
from tests.analysis import small
from txlviz.analysis.collisions import by_distance, collision, renumbered
from txlviz.models.positions import sinusoids

SHIPPED = Path(__file__).parents[2] / "checkpoints"
TEXT = small.TEXT


@pytest.fixture(scope="module", params=["small", "wikitext2-2l", "wikitext2-4l"])
def vanilla(request):
    return small.checkpoint("vanilla") if request.param == "small" else txlviz.load(SHIPPED / request.param / "vanilla")


@pytest.mark.parametrize("query", [8, 13, 23])
def test_both_keys_have_the_same_vector_and_the_same_position_terms(vanilla, query):
    found = collision(vanilla, TEXT, 8, query)
    assert (found.keys, found.number, found.vector_difference) == ((query - 8, query), query % 8, 0.0)
    for term in "bd":
        np.testing.assert_array_equal(found.terms[term][:, 0], found.terms[term][:, 1])
    for term in "ac":
        assert (found.terms[term][:, 0] != found.terms[term][:, 1]).all()


def test_the_terms_are_the_forward_passes(vanilla):
    query = 21
    run = txlviz.trace(vanilla, TEXT, 8, record=[2])
    found = collision(vanilla, TEXT, 8, query)
    for term, values in run.segments[2].layers[0].terms.items():
        expected = values[:, query - 16, query - 16] / math.sqrt(run.d_head)
        np.testing.assert_allclose(found.terms[term][:, 1], expected, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("query", [7, -1, 10_000])
def test_a_query_without_a_segment_before_it_is_refused(vanilla, query):
    with pytest.raises(ValueError, match="no segment"):
        collision(vanilla, TEXT, 8, query)


def test_by_distance_is_b_plus_d_of_the_first_layer():
    xl = txlviz.load(SHIPPED / "wikitext2-4l/xl")
    run = txlviz.trace(xl, TEXT, 16, 16, record=[1])
    layer, start = run.segments[1].layers[0], 16
    query = start + 5
    found = by_distance(xl, TEXT, query, (0, 3, 16))
    for n, distance in enumerate((0, 3, 16)):
        cell = (slice(None), query - start, query - distance - run.segments[1].first_key)
        expected = (layer.terms["b"][cell] + layer.terms["d"][cell]) / math.sqrt(run.d_head)
        np.testing.assert_allclose(found[:, n], expected, atol=1e-5)


def test_only_before_the_first_layer_can_the_old_numbers_be_taken_away(vanilla):
    made = renumbered(vanilla, TEXT)
    assert len(made.change) == len(made.left) == vanilla.config.n_layers + 1
    assert made.left[0] < 1e-5
    assert (made.left[1:] > 0.1).all()
    assert (made.change > 0.05).all()


def test_renumbering_by_hand(vanilla):
    """Window by window: the change, and what is left of it without the mean change of the other windows at the same number."""
    made = renumbered(vanilla, TEXT[:60])
    W = len(made.numbers[0])
    ids = torch.tensor([vanilla.tokenizer.newline, *vanilla.encode(TEXT[:60])])
    assert min(vanilla.config.segment_length, len(ids)) // 2 == W
    assert made.numbers == (range(W), range(W, 2 * W))
    starts = sorted({round(s) for s in np.linspace(0, len(ids) - W, 32)})
    assert made.windows == len(starts)
    level = 1
    states = []
    with torch.inference_mode():
        for start in starts:
            pair = []
            for first in (0, W):
                h = vanilla.model.embed(ids[None, start : start + W]) + sinusoids(
                    torch.arange(first, first + W), vanilla.config.d_model
                )
                pair.append(vanilla.model.blocks[0](h)[0].double())
            states.append(torch.stack(pair))
    low, high = torch.stack(states).unbind(1)
    delta = high - low
    assert made.change[level] == pytest.approx(float(delta.norm() / low.norm()), rel=1e-4)
    n = len(starts)
    left = torch.stack([delta[k] - torch.cat([delta[:k], delta[k + 1 :]]).mean(0) for k in range(n)])
    assert made.left[level] == pytest.approx(float(left.norm() / delta.norm()) * math.sqrt((n - 1) / n), rel=1e-3)


def test_the_shortest_text_has_an_answer(vanilla):
    made = renumbered(vanilla, "x")
    assert np.isfinite(made.change).all()
    assert made.windows == 2


def test_other_models_and_an_empty_text_are_refused():
    xl = small.checkpoint("xl")
    for call in (lambda: renumbered(xl, TEXT), lambda: collision(xl, TEXT, 8, 9)):
        with pytest.raises(ValueError, match="vanilla model is needed"):
            call()
    with pytest.raises(ValueError, match="empty"):
        renumbered(small.checkpoint("vanilla"), "")
    with pytest.raises(ValueError, match="Transformer-XL is needed"):
        by_distance(small.checkpoint("vanilla"), TEXT, 9, (0,))
