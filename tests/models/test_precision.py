"""Models in float64, where a small effect isn't rounded away."""

from __future__ import annotations

import pytest
import torch
from torch.testing import assert_close

from tests.models.small import Keep, either, in_segments, random_ids

KINDS = ["xl", "vanilla"]


@pytest.mark.parametrize("kind", KINDS)
def test_a_double_model_computes_in_double(kind: str) -> None:
    model, ids = either(kind).double(), random_ids(2, 12)
    hidden, memory = in_segments(model, ids.split(5, dim=1))
    loss = model(ids, targets=ids).loss
    assert {x.dtype for x in (hidden, *memory, loss)} == {torch.float64}


@pytest.mark.parametrize("kind", KINDS)
def test_a_double_model_agrees_with_the_single_one(kind: str) -> None:
    ids = random_ids(2, 12)
    single, _ = in_segments(either(kind), ids.split(5, dim=1))
    double, _ = in_segments(either(kind).double(), ids.split(5, dim=1))
    assert_close(single.double(), double, atol=1e-4, rtol=0)


@pytest.mark.parametrize("kind", KINDS)
def test_the_paths_of_a_double_model_agree_far_beyond_single_precision(kind: str) -> None:
    recorder = Keep()
    either(kind).double()(random_ids(2, 6), recorder=recorder)
    for record in recorder.layers:
        assert_close(record.rebuilt, record.ordinary, atol=1e-12, rtol=0)


@pytest.mark.parametrize("kind", KINDS)
def test_the_result_does_not_depend_on_the_default_dtype(kind: str) -> None:
    model, ids = either(kind), random_ids(2, 6)
    expected = model(ids).hidden
    torch.set_default_dtype(torch.float64)
    try:
        assert torch.equal(model(ids).hidden, expected)
    finally:
        torch.set_default_dtype(torch.float32)
