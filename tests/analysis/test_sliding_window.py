"""The vanilla model with stride 1, against plain evaluation and against a window at a time."""

from __future__ import annotations

import pytest
import torch
from torch.testing import assert_close

from tests.analysis.small import TEXT, checkpoint
from txlviz.analysis.evaluate import stream_losses
from txlviz.analysis.sliding_window import last_hidden, sliding_losses
from txlviz.models import VanillaTransformer


@pytest.fixture(scope="module")
def model() -> VanillaTransformer:
    found = checkpoint("vanilla").model
    assert isinstance(found, VanillaTransformer)
    return found


@pytest.fixture(scope="module")
def ids() -> torch.Tensor:
    source = checkpoint("vanilla")
    return torch.tensor([source.tokenizer.newline, *source.encode(TEXT)])


def test_all_tokens_have_the_losses_of_plain_evaluation(model: VanillaTransformer, ids: torch.Tensor) -> None:
    expected = stream_losses(model, ids, model.config.segment_length, stride=1)
    assert_close(sliding_losses(model, ids), expected, atol=1e-5, rtol=1e-5)
    assert not torch.allclose(expected, stream_losses(model, ids, model.config.segment_length), atol=0.01)


@pytest.mark.parametrize("cuts", [(1, 5, 16, 17, 40), (1, 15, 16), (1, 69), (1, 2, 3)])
def test_pieces_are_the_whole(model: VanillaTransformer, ids: torch.Tensor, cuts: tuple[int, ...]) -> None:
    ends = [*cuts[1:], len(ids)]
    pieces = [sliding_losses(model, ids, first, end) for first, end in zip(cuts, ends, strict=True)]
    assert [len(piece) for piece in pieces] == [end - first for first, end in zip(cuts, ends, strict=True)]
    assert_close(torch.cat(pieces), sliding_losses(model, ids), atol=1e-5, rtol=1e-5)


def test_each_token_sees_exactly_l_inputs(model: VanillaTransformer, ids: torch.Tensor) -> None:
    L, place = model.config.segment_length, 60
    before = sliding_losses(model, ids, place, place + 1)
    for changed, matters in ((place - L - 1, False), (place - L, True), (place - 1, True)):
        other = ids.clone()
        other[changed] = (other[changed] + 1) % model.config.vocab_size
        assert torch.equal(sliding_losses(model, other, place, place + 1), before) != matters


def test_the_last_hidden_state_is_the_models(model: VanillaTransformer) -> None:
    rows = torch.randint(model.config.vocab_size, (3, 16), generator=torch.Generator().manual_seed(0))
    with torch.inference_mode():
        assert_close(last_hidden(model, rows), model(rows).hidden[:, -1:], atol=1e-5, rtol=1e-5)


@pytest.mark.parametrize(("first", "end"), [(0, 5), (5, 5), (1, 10_000)])
def test_places_outside_the_text_are_refused(model: VanillaTransformer, ids: torch.Tensor, first: int, end: int) -> None:
    with pytest.raises(ValueError, match="don't lie within"):
        sliding_losses(model, ids, first, end)
