"""Who may see whom: the past, and under ``same_length`` no more of it than M keys."""

from __future__ import annotations

import pytest
import torch
from torch.testing import assert_close

from tests.models.small import Keep, random_ids, xl
from txlviz.models.attention import visible_keys


def test_visible_keys_are_the_past_and_the_query_itself() -> None:
    for i, row in enumerate(visible_keys(4, 7).tolist()):
        assert row == [j <= 3 + i for j in range(7)]


def test_visible_keys_end_at_the_longest_distance() -> None:
    for i, row in enumerate(visible_keys(4, 7, longest=2).tolist()):
        assert row == [0 <= 3 + i - j <= 2 for j in range(7)]


@pytest.mark.parametrize("mem_len", [0, 1, 3, 6])
def test_same_length_shows_each_query_its_m_predecessors_and_itself(mem_len: int) -> None:
    model, recorder = xl(same_length=True, mem_len=mem_len), Keep()
    segments = random_ids(1, 12).split(6, dim=1)
    with torch.no_grad():
        model(segments[1], model(segments[0]).memory, recorder=recorder)
    for record in recorder.layers:
        assert record.visible.shape == (6, mem_len + 6)
        for weights in (record.rebuilt, record.ordinary):
            for i in range(6):
                seen = weights[0, 0, i].nonzero().flatten().tolist()
                assert seen == list(range(i, i + mem_len + 1))


def test_same_length_without_memory_leaves_each_query_alone() -> None:
    model, ids, recorder = xl(same_length=True, mem_len=0), random_ids(1, 5), Keep()
    with torch.no_grad():
        hidden = model(ids, recorder=recorder).hidden
        assert_close(model(ids).hidden, hidden, atol=1e-5, rtol=0)
    for record in recorder.layers:
        assert torch.equal(record.rebuilt, torch.eye(5).expand_as(record.rebuilt))
        assert torch.equal(record.ordinary, torch.eye(5).expand_as(record.ordinary))


def test_same_length_follows_a_change_of_mem_len() -> None:
    model, recorder = xl(same_length=True, mem_len=6), Keep()
    model.mem_len = 2
    with torch.no_grad():
        model(random_ids(1, 8), recorder=recorder)
    assert recorder.layers[0].visible.sum(-1).tolist() == [1, 2, 3, 3, 3, 3, 3, 3]


def test_a_window_narrower_than_the_kernels_blocks_gives_numbers() -> None:
    model = xl(same_length=True, mem_len=2, n_layers=1)
    ids = random_ids(1, 1200)
    with torch.no_grad():
        hidden = model(ids).hidden
        assert_close(hidden[:, -10:], model(ids[:, -12:]).hidden[:, -10:], atol=1e-5, rtol=0)
