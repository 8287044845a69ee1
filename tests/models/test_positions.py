"""Sinusoids, distances and the relative shift, against loops."""

from __future__ import annotations

import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from tests.models.small import random_tensor
from txlviz.models.positions import distances, relative_shift, sinusoids

FILLS = [-math.inf, 0.0, 7.0]


def shift_by_loops(by_distance: Tensor, fill: float) -> Tensor:
    """Column c of the input holds distance K-1-c; column j of the result is key j, at distance (K-L+i) - j."""
    n_queries, n_keys = by_distance.shape[-2:]
    out = torch.full_like(by_distance, fill)
    for i in range(n_queries):
        for j in range(n_keys):
            distance = (n_keys - n_queries + i) - j
            if distance >= 0:
                out[..., i, j] = by_distance[..., i, n_keys - 1 - distance]
    return out


@settings(max_examples=60, derandomize=True)
@given(
    lead=st.lists(st.integers(1, 3), max_size=3),
    n_queries=st.integers(1, 9),
    n_memory=st.integers(0, 9),
    fill=st.sampled_from(FILLS),
)
def test_the_shift_equals_a_double_loop(lead: list[int], n_queries: int, n_memory: int, fill: float) -> None:
    by_distance = random_tensor(*lead, n_queries, n_memory + n_queries)
    before = by_distance.clone()
    assert torch.equal(relative_shift(by_distance, fill), shift_by_loops(by_distance, fill))
    assert torch.equal(by_distance, before)


def test_the_shift_takes_a_transposed_input() -> None:
    by_distance = random_tensor(2, 9, 5).transpose(-1, -2)
    assert torch.equal(relative_shift(by_distance), shift_by_loops(by_distance, -math.inf))


@pytest.mark.parametrize("fill", FILLS)
def test_no_other_rows_values_show_in_the_future(fill: float) -> None:
    n_queries, n_keys = 6, 10
    shifted = relative_shift(random_tensor(n_queries, n_keys), fill)
    future = torch.ones(n_queries, n_keys, dtype=torch.bool).triu(n_keys - n_queries + 1)
    assert future.sum() == 15
    assert (shifted[future] == fill).all()
    assert not (shifted[~future] == fill).any()


def test_the_shift_fills_with_minus_infinity_unless_told() -> None:
    assert torch.equal(relative_shift(torch.ones(2, 2)), torch.tensor([[1.0, -math.inf], [1.0, 1.0]]))


def test_the_gradient_of_the_shift_goes_to_the_entries_that_are_shown() -> None:
    by_distance = random_tensor(3, 5).requires_grad_()
    relative_shift(by_distance, 0.0).sum().backward()
    used = torch.tensor([[0.0, 0.0, 1.0, 1.0, 1.0], [0.0, 1.0, 1.0, 1.0, 1.0], [1.0, 1.0, 1.0, 1.0, 1.0]])
    assert by_distance.grad is not None
    assert torch.equal(by_distance.grad, used)


@pytest.mark.parametrize("d_model", [1, 2, 7, 8])
def test_sinusoids_are_those_of_the_formula(d_model: int) -> None:
    positions = [0, 1, 2, 63, 1000, 100_000]
    table = sinusoids(torch.tensor(positions), d_model)
    assert table.shape == (len(positions), d_model)
    n_sines = (d_model + 1) // 2
    for row, position in enumerate(positions):
        angles = [position / 10000 ** (2 * k / d_model) for k in range(n_sines)]
        expected = [math.sin(a) for a in angles] + [math.cos(a) for a in angles]
        assert table[row].tolist() == pytest.approx(expected[:d_model], abs=1e-6)


def test_sinusoids_are_not_learned_and_single_precision_by_default() -> None:
    table = sinusoids(torch.arange(3), 4)
    assert not table.requires_grad
    assert table.dtype == torch.float32


def test_distances_run_down_to_zero() -> None:
    assert distances(5).tolist() == [4, 3, 2, 1, 0]
    assert distances(1).tolist() == [0]


@pytest.mark.parametrize(
    ("clamp_len", "expected"), [(2, [2, 2, 2, 1, 0]), (4, [4, 3, 2, 1, 0]), (9, [4, 3, 2, 1, 0]), (0, [4, 3, 2, 1, 0])]
)
def test_distances_above_the_clamp_are_one_distance(clamp_len: int, expected: list[int]) -> None:
    assert distances(5, clamp_len).tolist() == expected
