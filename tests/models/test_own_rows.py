"""Streams of one batch that remember different amounts: each is what it would be alone."""

from __future__ import annotations

import pytest
import torch
from torch.testing import assert_close

from tests.models.small import Keep, random_ids, xl


@pytest.mark.parametrize("same_length", [False, True])
def test_each_stream_is_what_it_is_alone_with_its_own_rows(same_length: bool) -> None:
    model = xl(mem_len=6, same_length=same_length).double()
    first, second = random_ids(4, 12).split(6, dim=1)
    memory = model(first).memory
    own_rows = torch.tensor([0, 1, 4, 9])
    together = model(second, memory, own_rows=own_rows).hidden
    for stream, rows in enumerate(own_rows.tolist()):
        shorter = tuple(layer[stream : stream + 1, 6 - min(rows, 6) :] for layer in memory)
        alone = model(second[stream : stream + 1], shorter).hidden
        assert_close(together[stream : stream + 1], alone, rtol=0, atol=1e-12)


def test_the_memory_that_is_kept_does_not_depend_on_it_below() -> None:
    model = xl(mem_len=6)
    first, second = random_ids(2, 8).split(4, dim=1)
    memory = model(first).memory
    hidden, plain = (model(second, memory, own_rows=own) for own in (torch.tensor([0, 2]), None))
    assert torch.equal(hidden.memory[0], plain.memory[0])  # the embeddings
    assert not torch.equal(hidden.memory[1], plain.memory[1])  # what the first block made of them


def test_a_recorder_is_refused_beside_it() -> None:
    model = xl()
    with pytest.raises(ValueError, match="own_rows"):
        model(random_ids(1, 4), recorder=Keep(), own_rows=torch.tensor([0]))
