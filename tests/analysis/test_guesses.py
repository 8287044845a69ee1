"""Next-token guesses are the softmax of the last position."""

from __future__ import annotations

import pytest
import torch

from tests.analysis.small import TEXT, checkpoint
from txlviz import next_tokens
from txlviz.models.config import Kind


def test_xl_with_all_the_memory_equals_one_pass() -> None:
    source = checkpoint("xl")
    ids = torch.tensor([[source.tokenizer.newline, *source.encode(TEXT)]])
    with torch.no_grad():
        p = source.model.logits(source.model(ids).hidden[0, -1]).softmax(-1)
    guesses = next_tokens(source, TEXT, 16, 1000, top=5)
    assert [g.probability for g in guesses] == pytest.approx(p.topk(5).values.tolist(), abs=1e-5)
    assert [g.token for g in guesses] == [source.tokenizer.show([i])[0] for i in p.topk(5).indices.tolist()]


def test_vanilla_sees_its_last_segment_only() -> None:
    source = checkpoint("vanilla")
    ids = [source.tokenizer.newline, *source.encode(TEXT)]
    last = ids[(len(ids) - 1) // 16 * 16 :]
    with torch.no_grad():
        p = source.model.logits(source.model(torch.tensor([last])).hidden[0, -1]).softmax(-1)
    assert next_tokens(source, TEXT, 16, top=1)[0].probability == pytest.approx(float(p.max()), abs=1e-6)


def test_an_empty_text_follows_a_newline() -> None:
    assert len(next_tokens(checkpoint("xl"), "", top=3)) == 3


@pytest.mark.parametrize(
    ("kind", "lengths", "message"),
    [("vanilla", (16, 4), "no memory"), ("xl", (0, 4), "segment length is 0"), ("xl", (16, -1), "at least 0")],
)
def test_lengths_that_make_no_sense(kind: Kind, lengths: tuple[int, int], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        next_tokens(checkpoint(kind), TEXT, *lengths)
