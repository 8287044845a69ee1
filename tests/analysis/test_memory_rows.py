"""The memory's rows: against a queue that is filled by hand, against the run itself, and against the paper's recursion."""

from __future__ import annotations

from collections import deque
from functools import cache

import numpy as np
import pytest
import torch
from torch import Tensor

from tests.analysis.small import TEXT, checkpoint
from txlviz.analysis.memory_rows import memory_rows
from txlviz.models import TransformerXL

SIZES = [(16, 16), (7, 20), (16, 5), (7, 1), (5, 0), (8, 1000), (200, 3), (1, 4)]
SHORT = TEXT[:160]


@pytest.mark.parametrize(("L", "M"), SIZES)
def test_the_rows_are_those_of_a_queue_of_m(L: int, M: int) -> None:
    found = memory_rows(checkpoint("xl"), SHORT, L, M)
    queue: deque[int] = deque(maxlen=M)
    places = list(range(len(found.inputs)))
    cut = [places[start : start + L] for start in range(0, len(places), L)]
    assert len(found.steps) == len(cut)
    for step, segment in zip(found.steps, cut, strict=True):
        assert list(range(step.start, step.stop)) == segment
        before = list(queue)
        assert list(range(step.first_read, step.start)) == before
        queue.extend(segment)
        after = list(queue)
        assert list(range(step.first_kept, step.stop)) == after
        assert (step.rows_read, step.rows_kept) == (len(before), len(after))
        assert step.dropped == len(set(before) - set(after))
        assert step.added == len(set(segment) & set(after))


@pytest.mark.parametrize(("L", "M"), SIZES)
def test_they_are_in_the_models_memory_bit_for_bit(L: int, M: int) -> None:
    """Layer n's memory against what an unsegmented look at the same run says that its input was."""
    small = checkpoint("xl")
    found = memory_rows(small, SHORT, L, M)
    assert found.rows_checked == found.n_layers * sum(step.rows_kept for step in found.steps)
    assert found.rows_equal == found.rows_checked
    assert found.bytes_held(5) == 3 * 5 * 24 * 4

    ids = torch.tensor([[small.tokenizer.newline, *small.encode(SHORT)]])
    assert isinstance(small.model, TransformerXL)
    model = small.model.with_mem_len(M)
    memory = None
    with torch.inference_mode():
        embeddings = model.embed(ids)[0]
        for step in found.steps:
            memory = model(ids[:, step.start : step.stop], memory).memory
            assert torch.equal(memory[0][0], embeddings[step.first_kept : step.stop])


def test_a_memory_in_another_order_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    def swapped(self: TransformerXL, memory: Tensor, h: Tensor) -> Tensor:
        rows = torch.cat([h, memory], dim=1)
        return rows[:, max(0, rows.shape[1] - self.mem_len) :]

    monkeypatch.setattr(TransformerXL, "_updated", swapped)
    found = memory_rows(checkpoint("xl"), SHORT, 8, 16)
    assert found.rows_equal < found.rows_checked


@pytest.mark.parametrize(("L", "M"), [(16, 16), (7, 20), (7, 3), (5, 0)])
def test_what_a_row_sums_up(L: int, M: int) -> None:
    """The earliest place from which there is a way to a layer's input: section 3.2, followed down by hand."""
    found = memory_rows(checkpoint("xl"), SHORT, L, M)

    @cache
    def earliest(layer: int, place: int) -> int:
        if layer == 0:
            return place
        first = max(0, place // L * L - M)
        return min(earliest(layer - 1, key) for key in range(first, place + 1))

    expected = [[earliest(n, t) for t in range(len(found.inputs))] for n in range(3)]
    np.testing.assert_array_equal(found.earliest, expected)


def test_mistakes_end_in_one_sentence() -> None:
    with pytest.raises(ValueError, match="vanilla model has no memory"):
        memory_rows(checkpoint("vanilla"), SHORT, 8, 0)
    with pytest.raises(ValueError, match="empty"):
        memory_rows(checkpoint("xl"), "", 8, 8)
    with pytest.raises(ValueError, match="segment length"):
        memory_rows(checkpoint("xl"), SHORT, 0, 8)
