"""RoPE: the score knows the places through i - j alone, whatever the query, the key, and the offset."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.models.small import random_tensor
from txlviz.models.encodings.rotary import turned


@settings(max_examples=60, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    i=st.integers(0, 3000),
    j=st.integers(0, 3000),
    shift=st.integers(0, 3000),
    half=st.integers(1, 32),
)
def test_a_score_depends_on_the_distance_only(seed: int, i: int, j: int, shift: int, half: int) -> None:
    q, k = (random_tensor(1, 2 * half, seed=seed + n, dtype=torch.float64) for n in (0, 1))

    def score(at_query: int, at_key: int) -> float:
        return float((turned(q, torch.tensor([at_query])) * turned(k, torch.tensor([at_key]))).sum())

    assert score(i + shift, j + shift) == pytest.approx(score(i, j), abs=1e-9)


def test_it_does_depend_on_the_distance() -> None:
    q, k = random_tensor(1, 8, seed=1), random_tensor(1, 8, seed=2)
    by_distance = [float((turned(q, torch.tensor([i])) * turned(k, torch.tensor([0]))).sum()) for i in range(20)]
    assert len({round(score, 4) for score in by_distance}) == 20


@pytest.mark.parametrize("place", [0, 1, 17, 900])
@pytest.mark.parametrize("width", [2, 6, 32])
def test_it_is_the_rotation_matrix_of_the_paper(place: int, width: int) -> None:
    """Eq. 15, written out: 2 x 2 rotations on the diagonal."""
    matrix = np.zeros((width, width))
    for t in range(1, width // 2 + 1):
        m_theta = place * 10000.0 ** (-2 * (t - 1) / width)
        a = 2 * (t - 1)
        matrix[a, a], matrix[a, a + 1] = np.cos(m_theta), -np.sin(m_theta)
        matrix[a + 1, a], matrix[a + 1, a + 1] = np.sin(m_theta), np.cos(m_theta)
    x = random_tensor(3, width, dtype=torch.float64)
    np.testing.assert_allclose(turned(x, torch.full((3,), place)).numpy(), x.numpy() @ matrix.T, atol=1e-12)
    np.testing.assert_allclose(matrix @ matrix.T, np.eye(width), atol=1e-12)  # no length changes
