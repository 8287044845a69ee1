"""Distances to the last occurrence and classes, against their definitions; errors against independent draws."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from txlviz.analysis.recurrences import NEVER, classes, distances, frequencies, members, resampled_means


def last_seen(ids: list[int], place: int) -> int:
    """The definition, place by place."""
    for back in range(1, place + 1):
        if ids[place - back] == ids[place]:
            return back
    return NEVER


@given(st.lists(st.integers(0, 5), min_size=2, max_size=60))
def test_distances_by_definition(ids: list[int]) -> None:
    assert distances(np.array(ids)).tolist() == [last_seen(ids, place) for place in range(1, len(ids))]


@given(st.lists(st.integers(0, 12), min_size=2, max_size=120), st.sampled_from([2, 4, 8]))
def test_each_token_is_in_one_class_and_in_the_right_one(ids: list[int], L: int) -> None:
    of = classes(L, (L, 2 * L, 4 * L))
    found = members(distances(np.array(ids)), of, L)
    assert (found.sum(axis=0) == 1).all()
    for token in range(len(ids) - 1):
        place = token + 1
        back = last_seen(ids, place)
        own = of[int(found[:, token].argmax())]
        if back == NEVER:
            assert own.name == "never before"
            continue
        assert own.nearest <= back <= (own.farthest or 10**9)
        if back <= L:
            segment = range(token - token % L, token + 1)  # the inputs that the vanilla model predicts the token from
            assert own.same_segment == (place - back in segment)


def test_the_classes_of_the_study() -> None:
    names = [one.name for one in classes()]
    assert names == [
        "1–64 (same segment)",
        "1–64 (before the cut)",
        "65–128",
        "129–256",
        "257–512",
        "over 512",
        "never before",
    ]


def test_frequencies_are_those_of_the_training_split() -> None:
    train = np.array([0, 0, 0, 1, 2, 2, 2, 2])
    assert_allclose(frequencies(train, np.array([0, 2, 0, 3])), [500_000, 375_000, 0])


def test_resampled_means_have_the_error_of_independent_blocks() -> None:
    generator = np.random.default_rng(0)
    block, blocks = 20, 400
    shared = np.repeat(generator.normal(size=blocks), block)  # tokens of a block are alike
    values = 3 + shared
    drawn = resampled_means(values, np.ones((1, len(values)), dtype=bool), block=block, resamples=1000)
    assert drawn.shape == (1000, 1)
    assert drawn.mean() == pytest.approx(values.mean(), abs=0.01)
    assert drawn.std() == pytest.approx(1 / np.sqrt(blocks), rel=0.1)
    single = resampled_means(values, np.ones((1, len(values)), dtype=bool), block=1, resamples=1000)
    assert single.std() < drawn.std() / 3, "single tokens would promise too much"


def test_groups_share_their_draws() -> None:
    values = np.random.default_rng(1).normal(size=1000)
    group = np.arange(1000) % 3 == 0
    drawn = resampled_means(values, np.array([group, group, ~group]), block=50)
    assert_allclose(drawn[:, 0], drawn[:, 1])
    assert not np.allclose(drawn[:, 0], drawn[:, 2])
