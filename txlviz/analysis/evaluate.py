"""Scoring a text: every token once, and perplexity reported in the three ways that can be compared."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import torch
from torch import Tensor
from tqdm import tqdm

from txlviz.analysis.lengths import with_lengths
from txlviz.checkpoint import Checkpoint
from txlviz.models import LanguageModel, Memory, SystemTransformer

_WINDOWS_AT_ONCE = 64  # windows are independent, so this changes the speed only


@dataclass(frozen=True)
class Evaluation:
    """Scores of one model on one text."""

    token_perplexity: float
    """exp(nats / tokens); comparable for the same tokenizer only."""
    word_perplexity: float
    """exp(nats / words); comparable across tokenizers."""
    bits_per_byte: float
    """nats / ln 2 / UTF-8 bytes of the text."""
    tokens: int
    words: int
    segment_length: int
    """(L)"""
    memory_length: int
    """(M); 0 for the vanilla model."""
    batch_size: int
    """Contiguous pieces that the text was cut into (at most one a token), each starting with an empty memory. 1: one stream."""
    stride: int
    """Tokens by which the vanilla model's window moves; L for segments, and for the Transformer-XL."""

    @property
    def mean_loss(self) -> float:
        """Nats a token."""
        return math.log(self.token_perplexity)


def evaluate(
    checkpoint: Checkpoint,
    text: str,
    segment_length: int | None = None,
    memory_length: int | None = None,
    *,
    stride: int | None = None,
    batch_size: int = 1,
    words: int | None = None,
    progress: bool = False,
) -> Evaluation:
    """Scores ``text``, each token given what the model can see of what precedes it; a newline is put before the text.

    Args:
        segment_length: L; None takes the trained length.
        memory_length: M of a Transformer-XL; None takes the model's own, ``mem_len``.
        stride: not for the Transformer-XL: move a window of L tokens by this many, and score the new ones. None:
            segments (stride L).
        words: what perplexity per word is counted over; None counts white-space separated words and lines.
        progress: show a progress bar on standard error.

    Raises:
        ValueError: the text is empty, or a setting doesn't fit the model.
    """
    ids = checkpoint.encode(text)
    if not ids:
        raise ValueError("the text is empty: there is no token to score")
    model, length, memory = with_lengths(checkpoint.model, segment_length, memory_length)
    losses = stream_losses(
        model,
        torch.tensor([checkpoint.tokenizer.newline, *ids]),
        length,
        memory,
        stride=stride,
        batch_size=batch_size,
        progress=progress,
    )
    nats = losses.double().sum().item()
    words = len(text.split()) + _lines(text) if words is None else words
    return Evaluation(
        token_perplexity=_exp(nats / len(ids)),
        word_perplexity=_exp(nats / words),
        bits_per_byte=nats / math.log(2) / len(text.encode()),
        tokens=len(ids),
        words=words,
        segment_length=length,
        memory_length=memory,
        batch_size=min(batch_size, len(ids)),
        stride=length if stride is None else stride,
    )


@torch.inference_mode()
def stream_losses(
    model: LanguageModel,
    ids: Tensor,
    segment_length: int,
    memory_length: int | None = None,
    *,
    stride: int | None = None,
    batch_size: int = 1,
    progress: bool = False,
) -> Tensor:
    """(T,) nats of tokens 1 … T of ``ids`` (T + 1,). ``evaluate`` says what the settings mean."""
    model, segment_length, _ = with_lengths(model, segment_length, memory_length)
    if batch_size < 1:
        raise ValueError(f"the batch size is {batch_size}; it must be at least 1")
    if stride is not None and not 1 <= stride <= segment_length:
        raise ValueError(f"the stride is {stride}; it must be from 1 to the segment length, {segment_length}")
    was_training = model.training
    model.eval()
    try:
        if model.has_memory:
            stride = stride or segment_length
            if stride != segment_length and not isinstance(model, SystemTransformer):
                raise ValueError("a stride is for the vanilla model: the Transformer-XL reads each token once")
            return _recurrent(model, ids, segment_length, stride, batch_size, progress)
        return torch.cat(
            [_windows(model, piece, segment_length, stride or segment_length, progress) for piece in _pieces(ids, batch_size)]
        )
    finally:
        model.train(was_training)


def _recurrent(model: LanguageModel, ids: Tensor, length: int, stride: int, batch_size: int, progress: bool) -> Tensor:
    """Segments in order, the memory carried along; ``batch_size`` pieces of the text side by side.

    Below L, ``stride`` is what each segment adds: it begins with the last L - stride inputs once more, which
    the memory leaves out.
    """
    pieces = list(_pieces(ids, batch_size))
    rows = torch.stack([torch.nn.functional.pad(piece, (0, len(pieces[0]) - len(piece))) for piece in pieces])
    total, again = rows.shape[1] - 1, length - stride
    options = {"read_again": again} if again else {}
    memory: Memory | None = None
    losses = []
    for start in _bar(range(0, max(1, total - again), stride), progress):
        end = min(start + length, total)
        scored = start + again if start else 0
        out = model(rows[:, start:end], memory, **options)
        memory = out.memory
        losses.append(model.token_losses(out.hidden[:, scored - start :], rows[:, scored + 1 : end + 1]))
    table = torch.cat(losses, dim=1)
    return torch.cat([row[: len(piece) - 1] for row, piece in zip(table, pieces, strict=True)])


def _windows(model: LanguageModel, ids: Tensor, length: int, stride: int, progress: bool) -> Tensor:
    """Windows of ``length`` tokens, each scoring the last ``stride`` of them (the first: all)."""
    total = len(ids) - 1
    first = min(length, total)
    losses = [_scored(model, ids[None, : first + 1], first)]
    ends = list(range(length + stride, total + 1, stride))
    for at in _bar(range(0, len(ends), _WINDOWS_AT_ONCE), progress):
        windows = torch.stack([ids[end - length : end + 1] for end in ends[at : at + _WINDOWS_AT_ONCE]])
        losses.append(_scored(model, windows, stride))
    done = ends[-1] if ends else first
    if done < total:  # what is left is shorter than a stride
        rest = total - done
        start = done if stride == length else total - length
        losses.append(_scored(model, ids[None, start:], rest))
    return torch.cat(losses)


def _scored(model: LanguageModel, windows: Tensor, last: int) -> Tensor:
    """Losses of the last ``last`` targets of each window (rows of L + 1 ids), in reading order."""
    hidden = model(windows[:, :-1]).hidden[:, -last:]
    return model.token_losses(hidden, windows[:, -last:]).flatten()


def _pieces(ids: Tensor, n: int) -> Iterator[Tensor]:
    """``n`` contiguous pieces, longer ones first, by one target at most; each begins with the token before its first target."""
    targets = torch.arange(1, len(ids))
    for piece in torch.tensor_split(targets, min(n, len(targets))):
        yield ids[piece[0] - 1 : piece[-1] + 1]


def _bar(steps: range, progress: bool) -> Iterator[int]:
    yield from tqdm(steps, unit="step", disable=not progress or len(steps) < 2, leave=False)


def _lines(text: str) -> int:
    return text.count("\n") + (not text.endswith("\n"))


def _exp(x: float) -> float:
    return math.exp(x) if x < 700 else math.inf
