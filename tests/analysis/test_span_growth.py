"""The staircase against the span of every position, and what replaced tokens say of both."""

from __future__ import annotations

import numpy as np
import pytest

from txlviz import memory_span
from txlviz.analysis import span_growth
from txlviz.analysis.span_growth import can_be_measured, measured_span, span_ends, staircase

MEMORIES = (0, 1, 3, 4, 8, 12, 13, 20)


@pytest.mark.parametrize("L", [1, 4, 8, 12])
def test_both_are_memory_span(L: int) -> None:
    for N in range(1, 7):
        for M in MEMORIES:
            np.testing.assert_array_equal(span_ends(N, L, M), memory_span(N, L, M)[:, [0, -1]])
        assert staircase(N, L, MEMORIES).tolist() == [memory_span(N, L, M)[-1, 0] for M in MEMORIES]


def test_one_remembered_row() -> None:
    assert staircase(4, 64, [0, 1, 64, 65]).tolist() == [0, 193, 256, 449]


@pytest.mark.parametrize(("N", "L", "M"), [(1, 4, 3), (2, 4, 0), (3, 4, 1), (3, 8, 12), (6, 4, 4), (4, 8, 9), (16, 2, 3)])
def test_replacing_every_token_measures_the_computed_span(N: int, L: int, M: int) -> None:
    found = measured_span(N, L, M)
    np.testing.assert_array_equal(found.spans, memory_span(N, L, M))
    assert found.agrees
    assert found.tried == found.candidates == memory_span(N, L, M)[-1, 0] + L + 1


def test_of_a_large_span_a_sample_with_the_edges_is_replaced() -> None:
    told: list[float] = []
    found = measured_span(4, 64, 64, progress=told.append)
    np.testing.assert_array_equal(found.spans, memory_span(4, 64, 64))
    assert 8 <= found.tried < found.candidates == 256 + 64 + 1
    assert told[0] == 0
    assert told == sorted(told)
    assert max(told) <= 1


def test_a_model_that_remembers_less_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = span_growth._random_model
    monkeypatch.setattr(span_growth, "_random_model", lambda N, M: whole(N, M - 1))
    found = measured_span(3, 4, 4)
    np.testing.assert_array_equal(found.spans, memory_span(3, 4, 3))
    assert not found.agrees


def test_what_is_too_large_is_refused() -> None:
    assert can_be_measured(4, 64, 256)
    for sizes in ((16, 256, 512), (16, 64, 1)):
        assert not can_be_measured(*sizes)
        with pytest.raises(ValueError, match="too large to be measured"):
            measured_span(*sizes)
