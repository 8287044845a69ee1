"""A text read in segments gives what the text read at once gives, where nothing has been forgotten."""

from __future__ import annotations

import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor
from torch.testing import assert_close

from tests.models.small import in_segments, random_ids, vanilla, xl
from txlviz.models import TransformerXL

lengths = st.lists(st.integers(1, 9), min_size=1, max_size=6)


def whole_and_cut(model: TransformerXL, cut: list[int]) -> tuple[Tensor, Tensor]:
    """The logits of a text read at once, and read in segments of these lengths."""
    ids = random_ids(2, sum(cut))
    with torch.no_grad():
        whole = model.logits(model(ids).hidden)
        hidden, _ = in_segments(model, ids.split(cut, dim=1))
        return whole, model.logits(hidden)


@settings(max_examples=60, derandomize=True)
@given(
    cut=lengths,
    n_layers=st.integers(1, 3),
    clamp_len=st.sampled_from([-1, 1, 4, 100]),
    tie_uv=st.booleans(),
    spare=st.sampled_from([0, 7]),
)
def test_any_cut_gives_the_same_logits(cut: list[int], n_layers: int, clamp_len: int, tie_uv: bool, spare: int) -> None:
    history = sum(cut[:-1])
    model = xl(n_layers=n_layers, clamp_len=clamp_len, tie_uv=tie_uv, mem_len=history + spare)
    whole, segmented = whole_and_cut(model, cut)
    assert_close(segmented, whole, atol=1e-4, rtol=0)


@settings(max_examples=40, derandomize=True)
@given(cut=lengths, mem_len=st.integers(0, 12), n_layers=st.integers(1, 3))
def test_where_all_queries_see_the_same_length_any_memory_gives_the_same_logits(
    cut: list[int], mem_len: int, n_layers: int
) -> None:
    model = xl(same_length=True, mem_len=mem_len, n_layers=n_layers)
    whole, segmented = whole_and_cut(model, cut)
    assert_close(segmented, whole, atol=1e-4, rtol=0)


def test_one_row_less_than_the_history_is_not_the_same() -> None:
    whole, segmented = whole_and_cut(xl(mem_len=7), [4, 4, 4])
    assert_close(segmented[:, :8], whole[:, :8], atol=1e-4, rtol=0)
    assert (segmented[:, 8:] - whole[:, 8:]).abs().max() > 1e-2


def test_the_memory_of_a_text_read_in_segments_is_that_of_the_text_read_at_once() -> None:
    model, ids = xl(mem_len=20), random_ids(2, 20)
    with torch.no_grad():
        _, in_parts = in_segments(model, ids.split([1, 8, 2, 9], dim=1))
        for ours, expected in zip(in_parts, model(ids).memory, strict=True):
            assert_close(ours, expected, atol=1e-4, rtol=0)


def test_reading_the_text_again_with_its_own_memory_is_not_the_same() -> None:
    model, ids = xl(mem_len=8), random_ids(1, 8)
    with torch.no_grad():
        first = model(ids)
        assert (model(ids, first.memory).hidden - first.hidden).abs().max() > 1e-2


def test_the_vanilla_model_forgets_at_each_cut() -> None:
    model, ids = vanilla(), random_ids(1, 8)
    with torch.no_grad():
        segmented, _ = in_segments(model, ids.split(4, dim=1))
        whole = model(ids).hidden
    assert_close(segmented[:, :4], whole[:, :4], atol=1e-4, rtol=0)
    assert (segmented[:, 4:] - whole[:, 4:]).abs().max() > 1e-2
