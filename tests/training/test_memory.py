"""What a training step's memory is: drawn by seed and step alone, in the shares asked for, and kept row by row."""

from __future__ import annotations

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from txlviz.training.memory import MemoryDraws, StreamMemory

DRAWS = MemoryDraws((0, 8, 24), (0.5, 0.3, 0.2), restart=0.25)


def test_draws_come_in_their_shares_and_depend_on_seed_and_step_alone() -> None:
    drawn = [DRAWS.draw(7, step, 16) for step in range(4_000)]
    for length, share in zip(DRAWS.lengths, DRAWS.shares, strict=True):
        assert sum(found == length for found, _ in drawn) / len(drawn) == pytest.approx(share, abs=0.03)
    assert float(torch.stack([begin for _, begin in drawn]).float().mean()) == pytest.approx(DRAWS.restart, abs=0.01)
    again = DRAWS.draw(7, 1_234, 16)
    assert again[0] == drawn[1_234][0]
    assert torch.equal(again[1], drawn[1_234][1])


@pytest.mark.parametrize(
    ("lengths", "shares", "restart"),
    [((), (), 0.0), ((0, 8), (1.0,), 0.0), ((-1,), (1.0,), 0.0), ((0, 8), (0.5, 0.4), 0.0), ((8,), (1.0,), 1.5)],
)
def test_draws_that_make_no_sense_are_refused(lengths: tuple[int, ...], shares: tuple[float, ...], restart: float) -> None:
    with pytest.raises(ValueError, match="expected"):
        MemoryDraws(lengths, shares, restart)


@given(
    longest=st.integers(0, 20),
    length=st.integers(1, 5),
    steps=st.lists(st.tuples(st.integers(0, 24), st.lists(st.booleans(), min_size=2, max_size=2)), min_size=1, max_size=12),
)
@settings(deadline=None)
def test_reads_the_newest_rows_and_knows_whose_they_are(longest: int, length: int, steps: list[tuple[int, list[bool]]]) -> None:
    """Against lists: row i of stream b holds the step at which it was kept, and the number of its text."""
    memory, texts = StreamMemory(2, longest, length), [0, 0]
    kept: list[list[tuple[int, int]]] = [[], []]
    for step, (rows, begins) in enumerate(steps):
        rows = min(rows, longest)
        memory.begin(torch.tensor(begins))
        texts = [text + begin for text, begin in zip(texts, begins, strict=True)]
        found, own = memory.read(rows)
        expected = [one[max(0, len(one) - rows) :] for one in kept]
        if not expected[0]:
            assert found is None
        else:
            assert found is not None
            assert found[0][:, :, 0].tolist() == [[at for at, _ in one] for one in expected]
            counts = torch.tensor([len(expected[0])] * 2) if own is None else own.clamp(max=len(expected[0]))
            assert counts.tolist() == [sum(text == texts[b] for _, text in expected[b]) for b in range(2)]
        memory.keep((torch.full((2, length + 1, 3), float(step)),))  # one row more than the segment's own
        kept = [[*one, *[(step, texts[b])] * length] for b, one in enumerate(kept)]
        if step % 3 == 0:
            twin = StreamMemory(2, longest, length)
            twin.restore(*memory.state())
            memory = twin


def test_a_cleared_memory_has_nothing_to_read() -> None:
    memory = StreamMemory(2, 8, 4)
    memory.keep((torch.ones(2, 4, 3),))
    memory.clear()
    assert memory.read(8) == (None, None)
    assert memory.state()[0] == []
