"""Repetition, by examples worked by hand."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from txlviz.analysis.repetition import distinct_n, repeated_4_grams, repeated_tokens

# a b a b a c: 6 tokens
TOKENS = [1, 2, 1, 2, 1, 3]


def test_distinct_n_by_hand() -> None:
    assert distinct_n(TOKENS, 1) == 3 / 6  # a b c
    assert distinct_n(TOKENS, 2) == 3 / 5  # ab ba ab ba ac: ab ba ac
    assert distinct_n(TOKENS, 3) == 3 / 4  # aba bab aba bac: aba bab bac
    assert distinct_n(TOKENS, 4) == 3 / 3  # abab baba abac
    assert distinct_n(TOKENS, 6) == 1
    assert distinct_n(TOKENS, 7) is None
    assert distinct_n([], 1) is None


def test_repeated_groups_by_hand() -> None:
    assert repeated_4_grams(TOKENS) == 0
    assert repeated_4_grams([1] * 9) == 1 - 1 / 6
    assert repeated_4_grams([1, 2, 3]) is None


def test_repeated_tokens_by_hand() -> None:
    assert repeated_tokens(TOKENS, within=1) == 0
    assert repeated_tokens(TOKENS, within=2) == 3 / 6  # the second a, the second b, the third a
    assert repeated_tokens([1, *range(2, 18), 1]) == 0, "17 tokens back"
    assert repeated_tokens([1, *range(2, 17), 1]) == 1 / 17, "16 tokens back"
    assert repeated_tokens([]) is None


@given(st.lists(st.integers(0, 5), min_size=4, max_size=40))
def test_without_repetition_everything_is_1(tokens: list[int]) -> None:
    unique = list(dict.fromkeys(tokens))
    assert distinct_n(unique, 1) == 1
    assert repeated_tokens(unique) == 0
    for n in range(1, 5):
        value = distinct_n(tokens, n)
        assert value is not None
        assert 0 < value <= 1
        assert (value == 1) == all(tokens[i : i + n] != tokens[j : j + n] for i in range(len(tokens) - n + 1) for j in range(i))


def test_bad_sizes_are_refused() -> None:
    with pytest.raises(ValueError, match="at least 1"):
        distinct_n(TOKENS, 0)
    with pytest.raises(ValueError, match="at least 1"):
        repeated_tokens(TOKENS, within=0)
