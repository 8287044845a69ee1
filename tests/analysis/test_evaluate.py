"""Every token is scored once, and the three perplexities are what their definitions say."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor
from torch.testing import assert_close

from tests.analysis.small import TEXT, checkpoint
from txlviz import evaluate
from txlviz.analysis.evaluate import stream_losses
from txlviz.checkpoint import Checkpoint

XL, VANILLA = checkpoint("xl"), checkpoint("vanilla")


def stream(source: Checkpoint, text: str = TEXT) -> Tensor:
    return torch.tensor([source.tokenizer.newline, *source.encode(text)])


def loss_after(source: Checkpoint, context: Tensor, target: Tensor) -> float:
    """One token scored on its own: the model reads ``context`` in one pass, without memory."""
    with torch.no_grad():
        logits = source.model.logits(source.model(context[None]).hidden[0, -1])
    return float(-logits.log_softmax(-1)[target])


def one_by_one(source: Checkpoint, ids: Tensor, context_of: Callable[[int], int]) -> Tensor:
    """Loss of token t (from 1) given ``context_of(t)`` tokens before it."""
    return torch.tensor([loss_after(source, ids[t - context_of(t) : t], ids[t]) for t in range(1, len(ids))])


@pytest.mark.parametrize("length", [1, 7, 16, 200])
def test_vanilla_segments_are_scored_each_from_its_own_start(length: int) -> None:
    ids = stream(VANILLA)
    assert_close(
        stream_losses(VANILLA.model, ids, length), one_by_one(VANILLA, ids, lambda t: (t - 1) % length + 1), rtol=0, atol=1e-4
    )


def test_stride_one_is_the_sliding_window() -> None:
    ids = stream(VANILLA)
    assert_close(
        stream_losses(VANILLA.model, ids, 16, stride=1), one_by_one(VANILLA, ids, lambda t: min(t, 16)), rtol=0, atol=1e-4
    )


@pytest.mark.parametrize("total", [3, 16, 17, 20, 21, 33, 50])
@pytest.mark.parametrize("stride", [1, 5, 15, 16])
def test_any_stride_scores_every_token_once_with_at_least_window_minus_stride_of_context(total: int, stride: int) -> None:
    ids = stream(VANILLA)[: total + 1]

    def context(
        t: int,
    ) -> int:  # tokens of the first window have what there is; the others belong to the window that scores them
        if t <= 16:
            return t
        end = min(16 + stride * math.ceil((t - 16) / stride), total)
        start = end - 16 if stride < 16 else 16 * ((t - 1) // 16)
        return t - start

    assert_close(stream_losses(VANILLA.model, ids, 16, stride=stride), one_by_one(VANILLA, ids, context), rtol=0, atol=1e-4)


@pytest.mark.parametrize("length", [1, 7, 16, 200])
def test_an_xl_with_all_the_memory_scores_as_one_pass_over_the_text(length: int) -> None:
    ids = stream(XL)
    assert_close(stream_losses(XL.model, ids, length, 1000), one_by_one(XL, ids, lambda t: t), rtol=0, atol=2e-4)


def test_an_xl_without_memory_is_scored_in_segments() -> None:
    ids = stream(XL)
    assert_close(stream_losses(XL.model, ids, 16, 0), one_by_one(XL, ids, lambda t: (t - 1) % 16 + 1), rtol=0, atol=1e-4)


@pytest.mark.parametrize("source", [XL, VANILLA])
@given(batch=st.integers(1, 40), length=st.integers(1, 30))
def test_a_batch_is_contiguous_pieces_each_scored_as_a_text_of_its_own(source: Checkpoint, batch: int, length: int) -> None:
    ids = stream(source)[:61]
    got = stream_losses(source.model, ids, length, batch_size=batch)
    n = min(batch, 60)
    ends = [sum(60 // n + (k < 60 % n) for k in range(piece + 1)) for piece in range(n)]  # sizes differ by one at most
    pieces = [stream_losses(source.model, ids[start : end + 1], length) for start, end in itertools.pairwise([0, *ends])]
    assert_close(got, torch.cat(pieces), rtol=0, atol=1e-4)


@pytest.mark.parametrize("source", [XL, VANILLA])
def test_three_perplexities(source: Checkpoint) -> None:
    result = evaluate(source, TEXT, 16, 16 if source.is_xl else 0)
    nats = float(stream_losses(source.model, stream(source), 16).double().sum())
    tokens, words = len(source.encode(TEXT)), len(TEXT.split()) + 3
    assert (result.tokens, result.words) == (tokens, words)
    assert result.token_perplexity == pytest.approx(math.exp(nats / tokens))
    assert result.word_perplexity == pytest.approx(math.exp(nats / words))
    assert result.bits_per_byte == pytest.approx(nats / math.log(2) / len(TEXT.encode()))


@pytest.mark.parametrize(("text", "words"), [("a b", 3), ("a b\n", 3), ("a\nb", 4), ("\n\n", 2), (" ", 1), ("é 你", 3)])
def test_words_are_words_plus_lines(text: str, words: int) -> None:
    assert evaluate(VANILLA, text).words == words


def test_defaults_are_the_trained_length_and_the_models_memory() -> None:
    result = evaluate(XL, TEXT)
    assert (result.segment_length, result.memory_length, result.batch_size, result.stride) == (16, 16, 1, 16)
    assert result == evaluate(XL, TEXT, 16, 16)
    assert evaluate(XL, TEXT, 16, 0) != result
    assert XL.model.config.mem_len == 16


@pytest.mark.parametrize(
    ("source", "settings", "message"),
    [
        (XL, {"segment_length": 0}, "segment length is 0"),
        (XL, {"memory_length": -1}, "at least 0"),
        (XL, {"stride": 1}, "reads each token once"),
        (VANILLA, {"stride": 17}, "from 1 to the segment length, 16"),
        (VANILLA, {"memory_length": 4}, "no memory"),
        (VANILLA, {"batch_size": 0}, "batch size is 0"),
    ],
)
def test_settings_that_make_no_sense(source: Checkpoint, settings: dict[str, int], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        evaluate(source, TEXT, **settings)  # type: ignore[arg-type]


def test_batch_size_is_what_was_used() -> None:
    assert evaluate(XL, "a b", batch_size=1000).batch_size == len(XL.encode("a b"))


def test_empty_text() -> None:
    with pytest.raises(ValueError, match="empty"):
        evaluate(XL, "")
