"""Cuts of one text: equal with the whole history, and different exactly where rows are missing."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from tests.analysis.small import TEXT, checkpoint
from txlviz import trace
from txlviz.analysis.kv_cache import cached_projections, compare_cuts

SHORT = TEXT[:120]


def test_with_the_whole_history_any_cut_gives_the_same_logits() -> None:
    told: list[float] = []
    found = compare_cuts(checkpoint("xl"), SHORT, [(1, 1000), (7, 1000), (16, 1000)], progress=told.append)
    T = len(found.inputs)
    assert [cut.segments for cut in found.cuts] == [T, -(-T // 7), -(-T // 16)]
    for cut in found.cuts:
        assert cut.logits.shape == (T,)
        assert cut.losses.shape == (T - 1,)
        assert cut.largest < 1e-5 * found.size
    assert told == sorted(told)
    assert told[-1] == 1.0
    assert found.left_out == 0


@pytest.mark.parametrize(("L", "M"), [(8, 0), (8, 5), (8, 20), (1, 3)])
def test_with_fewer_rows_the_answers_change_from_the_first_missing_row_on(L: int, M: int) -> None:
    small = checkpoint("xl")
    found = compare_cuts(small, SHORT, [(L, M)])
    cut = found.cuts[0]
    first_missing = next(start for start in range(0, len(found.inputs), L) if start > M)
    assert (cut.logits[:first_missing] < 1e-5 * found.size).all()
    assert (cut.logits[first_missing:] > 1e-3).all()
    whole = trace(small, SHORT, len(found.inputs), 0, record=[]).losses
    np.testing.assert_allclose(cut.losses, trace(small, SHORT, L, M, record=[]).losses - whole, atol=1e-4)


def test_the_logits_are_the_models() -> None:
    small = checkpoint("xl")
    found = compare_cuts(small, SHORT, [(8, 0)])
    ids = torch.tensor([[small.tokenizer.newline, *small.encode(SHORT)]])
    with torch.inference_mode():
        whole = small.model.logits(small.model(ids).hidden)[0]
        pieces = [small.model.logits(small.model(piece).hidden)[0] for piece in torch.split(ids, 8, dim=1)]
    expected = (torch.cat(pieces) - whole).abs().max(dim=1).values
    np.testing.assert_allclose(found.cuts[0].logits, expected, atol=1e-4)
    assert found.size == pytest.approx(float(whole.abs().max()))


def test_a_limit_leaves_tokens_out() -> None:
    small = checkpoint("xl")
    found = compare_cuts(small, SHORT, [(4, 100)], limit=10)
    assert len(found.inputs) == 11
    assert found.left_out == len(small.encode(SHORT)) - 10


@pytest.mark.parametrize("L", [1, 7, 16])
def test_kept_keys_are_those_of_kept_rows(L: int) -> None:
    assert cached_projections(checkpoint("xl"), SHORT, L) < 1e-5
    assert cached_projections(checkpoint("xl"), SHORT, L, limit=20) < 1e-5


def test_mistakes_end_in_one_sentence() -> None:
    for call in (
        lambda: compare_cuts(checkpoint("vanilla"), SHORT, [(4, 0)]),
        lambda: cached_projections(checkpoint("vanilla"), SHORT, 4),
    ):
        with pytest.raises(ValueError, match="vanilla model has no memory"):
            call()
    with pytest.raises(ValueError, match="empty"):
        compare_cuts(checkpoint("xl"), "", [(4, 4)])
