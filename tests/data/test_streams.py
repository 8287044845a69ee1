"""Streams: row b of a batch goes on where row b of the batch before ended."""

from __future__ import annotations

import itertools

import pytest
import torch

from txlviz.data import Streams, segments

IDS = torch.arange(1000)


def test_batches_are_contiguous_within_an_epoch_and_targets_are_the_next_token() -> None:
    streams = Streams(IDS, n_streams=4, segment_length=16, seed=0)
    batches = [streams.batch(step) for step in range(streams.steps_per_epoch)]
    joined = torch.cat([inputs for inputs, _ in batches], dim=1)
    assert torch.equal(joined[:, 1:], joined[:, :-1] + 1)
    assert all(torch.equal(targets, inputs + 1) for inputs, targets in batches)
    assert torch.equal(joined[:, 0], streams.offset(0) + torch.tensor([0, 250, 500, 750]))


def test_every_epoch_has_the_same_number_of_steps_at_any_offset() -> None:
    streams = Streams(IDS, n_streams=4, segment_length=16, seed=0)
    offsets = set()
    for epoch in range(40):
        offsets.add(streams.offset(epoch))
        last = streams.batch((epoch + 1) * streams.steps_per_epoch - 1)
        assert last[0].shape == last[1].shape == (4, 16)
    assert len(offsets) > 8
    assert [streams.starts_epoch(step) for step in range(streams.steps_per_epoch + 1)].count(True) == 2


def test_rows_share_out_the_streams() -> None:
    streams = Streams(IDS, n_streams=4, segment_length=16, seed=0)
    whole, halves = streams.batch(3)[0], [streams.batch(3, rows)[0] for rows in (slice(0, 2), slice(2, 4))]
    assert torch.equal(whole, torch.cat(halves))


def test_too_few_tokens_are_refused() -> None:
    with pytest.raises(ValueError, match="127 tokens are too few for 4 streams: at least 128"):
        Streams(IDS[:127], n_streams=4, segment_length=16, seed=0)
    assert Streams(IDS[:128], n_streams=4, segment_length=16, seed=0).steps_per_epoch == 1


def test_segments_cover_everything_and_the_last_may_be_short() -> None:
    pieces = list(segments(IDS[:50], 16))
    assert [len(piece) for piece in pieces] == [16, 16, 16, 2]
    assert torch.equal(torch.cat(pieces), IDS[:50])


@pytest.mark.parametrize("stride", [1, 5, 8, 16])
def test_with_a_stride_segments_overlap_and_fill_the_streams(stride: int) -> None:
    streams = Streams(IDS, n_streams=4, segment_length=16, seed=0, stride=stride)
    batches = [streams.batch(step)[0] for step in range(streams.steps_per_epoch)]
    assert all(torch.equal(after[:, 0], before[:, 0] + stride) for before, after in itertools.pairwise(batches))
    for epoch in range(40):  # whatever the offset, the last segment of an epoch is whole
        assert streams.batch((epoch + 1) * streams.steps_per_epoch - 1)[1].shape == (4, 16)
    assert (streams.steps_per_epoch - 1) * stride + 15 + 17 <= 250 < streams.steps_per_epoch * stride + 15 + 17


def test_a_stride_of_a_segment_is_none() -> None:
    plain, same = (Streams(IDS, n_streams=4, segment_length=16, seed=0, stride=stride) for stride in (0, 16))
    assert plain.steps_per_epoch == same.steps_per_epoch
    assert all(torch.equal(a, b) for a, b in zip(plain.batch(7), same.batch(7), strict=True))


@pytest.mark.parametrize("stride", [-1, 17])
def test_a_stride_beyond_the_segment_is_refused(stride: int) -> None:
    with pytest.raises(ValueError, match=f"the stride is {stride}; it must be at most the segment length, 16"):
        Streams(IDS, n_streams=4, segment_length=16, seed=0, stride=stride)
