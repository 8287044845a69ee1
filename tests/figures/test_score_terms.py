import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from txlviz.figures.score_terms import ScoreMaps, centre_rows, score_maps, signed_limit, visible_span, weight_limit

H, L, K, D_HEAD = 3, 5, 8, 16


def causal(n_queries, n_keys, longest=None):
    distance = np.arange(n_keys - n_queries, n_keys)[:, None] - np.arange(n_keys)[None]
    return (distance >= 0) & (distance <= (n_keys if longest is None else longest))


def softmax(scores):
    raised = np.exp(scores - scores.max(-1, keepdims=True))
    return raised / raised.sum(-1, keepdims=True)


@pytest.fixture
def layer():
    draw = np.random.default_rng(0)
    terms = {term: draw.normal(size=(H, L, K)).astype(np.float32) for term in "abcd"}
    visible = causal(L, K)
    scores = np.where(visible, sum(terms.values()) / np.sqrt(D_HEAD), -np.inf).astype(np.float32)
    return {"terms": terms, "scores": scores, "weights": softmax(scores), "visible": visible}


def test_the_terms_of_one_head_add_up_to_its_score(layer):
    maps = score_maps(**layer, head=1, d_head=D_HEAD)
    seen = layer["visible"]
    np.testing.assert_allclose(maps.terms["b"][seen], layer["terms"]["b"][1][seen] / 4, rtol=1e-6)
    np.testing.assert_allclose(sum(maps.terms.values())[seen], maps.score[seen], atol=1e-6)
    assert (maps.weights == layer["weights"][1]).all()


def test_hidden_keys_hold_zero_and_nothing_infinite(layer):
    maps = score_maps(**layer, head=0, d_head=D_HEAD)
    for values in (*maps.terms.values(), maps.score, maps.weights):
        assert np.isfinite(values).all()
        assert (values[~layer["visible"]] == 0).all()
        assert values.flags.c_contiguous


def test_centring_changes_no_weight_and_empties_each_rows_mean(layer):
    maps = score_maps(**layer, head=2, d_head=D_HEAD, centred=True)
    seen = layer["visible"]
    for values in (*maps.terms.values(), maps.score):
        np.testing.assert_allclose(values.sum(axis=1), 0, atol=1e-6)
    np.testing.assert_allclose(sum(maps.terms.values())[seen], maps.score[seen], atol=1e-6)
    np.testing.assert_allclose(softmax(np.where(seen, maps.score, -np.inf)), layer["weights"][2], atol=1e-6)


def test_centring_takes_away_what_is_constant_along_a_row():
    visible = causal(3, 3)
    values = np.repeat([[5.0], [-2.0], [1e3]], 3, axis=1).astype(np.float32)
    assert (centre_rows(values, visible) == 0).all()


@given(st.integers(1, 9), st.integers(0, 9), st.one_of(st.none(), st.integers(0, 12)))
def test_the_span_names_the_first_and_the_last_visible_key(n_queries, memory, longest):
    visible = causal(n_queries, n_queries + memory, longest)
    for row, (first, last) in zip(visible, visible_span(visible), strict=True):
        assert np.flatnonzero(row).tolist() == list(range(first, last + 1))


def maps_of(values, weights=None):
    shape = (1, values.size)
    zeros = np.zeros(shape, np.float32)
    terms = {"a": values.reshape(shape).astype(np.float32), "b": zeros, "c": zeros, "d": zeros}
    weights = zeros if weights is None else weights.reshape(shape).astype(np.float32)
    return ScoreMaps(terms, terms["a"], weights, np.array([[0, values.size - 1]], np.int32))


def test_the_signed_range_is_the_same_on_both_sides_and_bears_a_few_extremes():
    values = np.append(np.linspace(-2, 1, 999), -1e6)
    assert signed_limit(maps_of(values)) == pytest.approx(2, rel=0.02)


def test_terms_that_are_off_do_not_stretch_the_range():
    maps = maps_of(np.linspace(-1, 1, 100))
    loud = ScoreMaps({**maps.terms, "b": maps.score * 50}, maps.score, maps.weights, maps.span)
    assert signed_limit(loud) > 10
    assert signed_limit(loud, off=("b",)) == pytest.approx(1)


def test_hidden_cells_do_not_count():
    maps = maps_of(np.array([1.0, 2.0, 500.0]))
    hidden = ScoreMaps(maps.terms, maps.score, maps.weights, np.array([[0, 1]], np.int32))
    assert signed_limit(hidden) == 2


def test_a_range_has_a_width_even_where_all_is_zero():
    assert signed_limit(maps_of(np.zeros(4))) == 1
    assert weight_limit(maps_of(np.zeros(4))) == 1


def test_the_bright_end_is_a_large_weight():
    assert weight_limit(maps_of(np.zeros(1000), np.append(np.full(990, 0.001), np.full(10, 0.4)))) == pytest.approx(0.4)
