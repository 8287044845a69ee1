"""Kept keys and values give what the memory's rows give, however the text is cut."""

from __future__ import annotations

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from tests.models.small import in_segments, random_ids, xl
from txlviz.models import KeyValueCache, Memory, TransformerXL


def both(model: TransformerXL, ids: Tensor, cut: list[int], memory: Memory | None = None) -> tuple[Tensor, Tensor]:
    """The hidden states of the pieces: from the cache, and from the memory."""
    cache = KeyValueCache(model, memory, at_most=max(cut))
    pieces = ids.split(cut, dim=1)
    cached = torch.cat([cache.step(piece) for piece in pieces], dim=1)
    with torch.inference_mode():
        expected, _ = in_segments(model, pieces, memory)
    return cached, expected


@settings(max_examples=40, deadline=None)
@given(
    cut=st.lists(st.integers(1, 5), min_size=1, max_size=30),
    mem_len=st.integers(0, 9),
    before=st.integers(0, 12),
    same_length=st.booleans(),
    clamp_len=st.sampled_from([-1, 4]),
)
def test_it_equals_the_memory(cut: list[int], mem_len: int, before: int, same_length: bool, clamp_len: int) -> None:
    model = xl(mem_len=mem_len, same_length=same_length, clamp_len=clamp_len)
    with torch.inference_mode():
        memory = model(random_ids(1, before, seed=1)).memory if before else None
    cached, expected = both(model, random_ids(1, sum(cut)), cut, memory)
    torch.testing.assert_close(cached, expected, atol=1e-5, rtol=1e-5)


def test_texts_side_by_side() -> None:
    model = xl(tie_uv=True)
    memory = model(random_ids(3, 8, seed=1)).memory
    cached, expected = both(model, random_ids(3, 20), [1] * 20, memory)
    torch.testing.assert_close(cached, expected, atol=1e-5, rtol=1e-5)


def test_a_memory_longer_than_m_is_cut() -> None:
    model = xl(mem_len=6)
    memory = model(random_ids(1, 6, seed=1)).memory
    short = model.with_mem_len(2)
    cached, expected = both(short, random_ids(1, 4), [1] * 4, tuple(rows[:, -2:] for rows in memory))
    torch.testing.assert_close(cached, expected, atol=1e-5, rtol=1e-5)
    torch.testing.assert_close(both(short, random_ids(1, 4), [1] * 4, memory)[0], cached)


def test_the_memory_it_came_from_is_untouched() -> None:
    model = xl()
    memory = model(random_ids(1, 6)).memory
    before = [rows.clone() for rows in memory]
    cache = KeyValueCache(model, memory)
    for _ in range(20):
        cache.step(random_ids(1, 1))
    assert all(torch.equal(rows, kept) for rows, kept in zip(memory, before, strict=True))


def test_more_at_once_than_was_said_is_refused() -> None:
    with pytest.raises(ValueError, match="at most 2"):
        KeyValueCache(xl(), at_most=2).step(random_ids(1, 3))


def test_it_wants_evaluation_mode() -> None:
    with pytest.raises(ValueError, match="evaluation mode"):
        KeyValueCache(xl().train())
