"""What a card says that the model scores, and the M that it chooses. A change of the training code leaves this as it is."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

from txlviz.analysis.evaluate import Evaluation, evaluate
from txlviz.checkpoint import Checkpoint
from txlviz.data import Split
from txlviz.models import TransformerXL

MEMORY_LENGTHS = (0, 16, 64, 128, 192, 256, 512, 1024, 2048)
"""M that are tried on the validation split."""
SAME_LOSS = 0.001
"""Nats a token. Less than this isn't worth a longer memory."""


def score(checkpoint: Checkpoint, splits: Sequence[Split]) -> dict[str, Any]:
    """The fields of the card that are measured. A Transformer-XL's M becomes the best on the first split.

    Args:
        splits: valid and test.
    """
    found: dict[str, Any] = {}
    model = checkpoint.model
    if isinstance(model, TransformerXL):
        best, found["valid_loss_by_memory"] = choose_memory(checkpoint, splits[0])
        model.mem_len = best
        model.config = dataclasses.replace(model.config, mem_len=best)
    return found | {"scores": scores(checkpoint, splits)}


def choose_memory(checkpoint: Checkpoint, valid: Split) -> tuple[int, dict[str, float]]:
    """The model's own M, and the mean validation loss (nats a token) for every M tried.

    Its own is the shortest of at least 64 that is within ``SAME_LOSS`` of the lowest loss.
    """
    losses = {m: evaluate(checkpoint, valid.text, memory_length=m, words=valid.words).mean_loss for m in MEMORY_LENGTHS}
    return shortest_good(losses), {str(m): round(loss, 5) for m, loss in losses.items()}


def shortest_good(losses: Mapping[int, float]) -> int:
    """The shortest M of at least 64 whose loss is within ``SAME_LOSS`` of the lowest among them."""
    long_enough = {m: loss for m, loss in losses.items() if m >= 64}
    lowest = min(long_enough.values())
    return min(m for m, loss in long_enough.items() if loss <= lowest + SAME_LOSS)


def scores(checkpoint: Checkpoint, splits: Sequence[Split]) -> dict[str, dict[str, Any]]:
    """What the model scores on each split, at its own L and M, as one stream."""
    return {split.name: rounded(evaluate(checkpoint, split.text, words=split.words, progress=True)) for split in splits}


def rounded(evaluation: Evaluation) -> dict[str, Any]:
    """An evaluation as it stands in a card."""
    return {name: round(v, 5) if isinstance(v, float) else v for name, v in dataclasses.asdict(evaluation).items()}
