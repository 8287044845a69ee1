"""The same targets in a stream: against one segment after the other, and what ends the fall of the loss."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from numpy.testing import assert_allclose

from tests.analysis.small import TEXT, checkpoint
from txlviz.analysis import context_record
from txlviz.analysis.context_stream import described, limit, losses_of, trained_context
from txlviz.models import TransformerXL

L, CONTEXTS = 16, (16, 32, 48)
PLACES = np.array([48, 52, 64, 80, 84, 131])


@pytest.fixture(scope="module")
def model() -> TransformerXL:
    found = checkpoint("xl").model
    assert isinstance(found, TransformerXL)
    assert found.config.segment_length == L
    return found


@pytest.fixture(scope="module")
def ids() -> torch.Tensor:
    return torch.tensor(checkpoint("xl").encode(TEXT * 6))


@torch.inference_mode()
def test_each_target_ends_a_segment_with_a_memory_of_the_rest(model: TransformerXL, ids: torch.Tensor) -> None:
    found = losses_of(model, ids, PLACES, CONTEXTS)
    begins = {48: 0, 64: 0, 80: 0, 52: 4, 84: 36, 131: 83}  # 84 isn't whole segments from 52 with a target at 68 between
    for row, c in enumerate(CONTEXTS):
        for column, place in enumerate(PLACES.tolist()):
            memory = None
            for start in range(begins[place], place, L):
                out = model.with_mem_len(c - L)(ids[None, start : start + L], memory)
                memory = out.memory
            assert start + L == place
            expected = torch.log_softmax(model.logits(out.hidden[0, -1]), -1)[ids[place]]
            assert found[row, column] == pytest.approx(-float(expected), abs=1e-4)


def test_without_older_text_a_growing_memory_gives_one_pass(model: TransformerXL, ids: torch.Tensor) -> None:
    """Where the stream begins with the c tokens, its memory holds all of them: the longest c, for the first of a chain."""
    first = np.array([48, 131])
    stream = losses_of(model, ids, first, CONTEXTS)
    one_pass = context_record.losses_of(model, ids, first, CONTEXTS)
    assert_allclose(stream[-1], one_pass[-1], atol=1e-5)
    assert np.abs(stream[1] - one_pass[1]).min() > 1e-4, "with a shorter memory older text still comes through"
    assert_allclose(stream[0], one_pass[0], atol=1e-5)  # without a memory nothing does


def test_what_is_recorded() -> None:
    one_pass = np.random.default_rng(0).normal(4, 1, size=(3, 256))
    found = described(one_pass - [[0.0], [0.02], [0.5]], one_pass, CONTEXTS, L)
    assert found["contexts"] == list(CONTEXTS)
    assert found["memories"] == [0, 16, 32]
    assert found["gain"] == pytest.approx([0.0, 0.02, 0.5], abs=1e-4)
    assert found["flat"] == 48


@pytest.mark.parametrize(
    ("interval", "trained", "expected"),
    [
        ((144, 256), 192, "trained"),
        ((192, 192), 192, "trained"),
        ((208, 256), 192, "beyond"),
        ((144, 256), 2112, "model"),
        ((304, 512), 2112, "pass"),
        ((304, 512), 320, "pass"),
    ],
)
def test_which_limit_it_is(interval: tuple[int, int], trained: int, expected: str) -> None:
    assert limit(interval, 512, trained) == expected


def test_what_training_saw() -> None:
    assert trained_context({"settings": {"segment_length": 64, "memory": {"lengths": [0, 2048, 64]}}}) == 2112


def test_what_makes_no_sense_is_refused(model: TransformerXL, ids: torch.Tensor) -> None:
    with pytest.raises(ValueError, match="multiples of the segment, 16"):
        losses_of(model, ids, PLACES, (16, 40))
    with pytest.raises(ValueError, match="needs 64 tokens before it"):
        losses_of(model, ids, PLACES, (64,))
