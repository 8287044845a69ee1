"""What a run of the landscape scores: each way of reading the validation split that its model allows."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from txlviz.analysis.evaluate import stream_losses
from txlviz.models import SystemConfig, SystemTransformer
from txlviz.recorded import significant

MEMORIES = (0, 64, 128, 256)
"""M that a recurrent model is read with."""
LENGTHS = (32, 64, 96, 128, 192, 256, 384, 512)
"""L of the length-extrapolation curve."""
LENGTH_TOKENS = 60_000
"""Tokens from the start of the split that the curve is taken over."""
PREFIX_TOKENS = 30_000
"""Tokens from the start of the split that a window moved by one token is read over: a pass a token."""


def scores(model: SystemTransformer, ids: Tensor, words: int, stride: int) -> dict[str, Any]:
    """All scores of one model.

    Args:
        ids: (T + 1,) a newline and the split.
        words: of the split.
        stride: targets of each window that the model was trained on; below L, the headline is read in this way.

    Returns:
        ``ways``: name -> loss (nats a token), token and word perplexity on all of the split, where the names are ``segments``
        and ``stride_32``, with recurrence ``memory_M`` and ``memory_M_stride_32``; ``headline``: the name of the way in which
        it was trained; ``prefix`` (without recurrence): loss on its first tokens, by stride; ``by_length``: loss in segments of
        each of ``LENGTHS``, null where it can't be run.
    """
    config = model.config
    L, M = config.segment_length, config.mem_len

    def loss(tokens: int | None = None, length: int = L, rows: int = M, by: int | None = None) -> float:
        part = ids if tokens is None else ids[: tokens + 1]
        return float(stream_losses(model, part, length, rows, stride=by).double().mean())

    def full(rows: int = M, by: int | None = None) -> dict[str, float | None]:
        return _perplexities(loss(None, L, rows, by), len(ids) - 1, words)

    found: dict[str, Any] = {"ways": {}}
    if config.recurrent:
        found["ways"] = {f"memory_{rows}": full(rows) for rows in sorted({*MEMORIES, M})}
        if stride < L:
            found["ways"][f"memory_{M}_stride_{stride}"] = full(by=stride)
        found["headline"] = f"memory_{M}" if stride == L else f"memory_{M}_stride_{stride}"
    else:
        half = L // 2
        found["ways"] = {"segments": full(), f"stride_{half}": full(by=half)}
        found["headline"] = "segments" if stride == L else f"stride_{half}"
        tokens = min(PREFIX_TOKENS, len(ids) - 1)
        by_stride = {str(by): significant(loss(tokens, by=by)) for by in (L, half, 1)}
        found["prefix"] = {"tokens": tokens, "loss_by_stride": by_stride}
    found["by_length"] = [_reached(config, loss, length, M) for length in LENGTHS]
    return found


def _reached(config: SystemConfig, loss: Callable[..., float], length: int, rows: int) -> float | None:
    """The loss in segments of one length; None where learned positions end before."""
    if config.longest is not None and length > config.longest:
        return None
    return significant(loss(LENGTH_TOKENS, length, rows))


def _perplexities(loss: float, tokens: int, words: int) -> dict[str, float | None]:
    """Nats a token, and e to the mean loss a token and a word."""
    by_word = loss * tokens / words
    found = {"loss": loss, "token_perplexity": math.exp(loss), "word_perplexity": math.exp(by_word) if by_word < 700 else None}
    return {name: None if value is None else significant(value, 6) for name, value in found.items()}


def rounded_to_half(model: SystemTransformer) -> SystemTransformer:
    """The model with its weights rounded to float16, in place: as shipped, and as scored. It computes in float32 as before."""
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.copy_(parameter.half())
    return model
