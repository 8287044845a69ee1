"""The card of a trained model: what it was made of, how, and what it scores."""

from __future__ import annotations

import dataclasses
import platform
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from typing import Any

from txlviz.analysis.evaluate import Evaluation, evaluate
from txlviz.checkpoint import Checkpoint
from txlviz.data import LICENCE, Split
from txlviz.data.corpus import HUB_CONFIG, HUB_NAME, WORDS
from txlviz.training import state
from txlviz.training.presets import Preset
from txlviz.training.run import VALID_TOKENS, Finished, valid_memory

_WIKITEXT_2 = {
    "name": "WikiText-2 (Merity et al. 2016), detokenised",
    "source": f"{HUB_NAME}, {HUB_CONFIG}",
    "licence": LICENCE,
}

MEMORY_LENGTHS = (0, 16, 64, 128, 192, 256, 512, 1024, 2048)
"""M that are tried on the validation split."""
SAME_LOSS = 0.001
"""Nats a token. Less than this isn't worth a longer memory."""


def describe(
    preset: Preset, command: str, splits: Sequence[Split], tokens: Mapping[str, int], finished: Finished, world_size: int
) -> dict[str, Any]:
    """All of the card but the scores."""
    seen = preset.steps * preset.batch_size * preset.segment_length
    words = {split.name: split.words for split in splits}
    corpus = _WIKITEXT_2 if words == WORDS else {"name": "a corpus in WikiText's format that isn't WikiText-2"}
    curve = finished.curve
    return {
        "preset": preset.name,
        "kind": finished.model.config.kind,
        "command": command,
        "parameters": finished.model.parameter_count(),
        "data": {
            **corpus,
            "words": words,
            "tokens": tokens,
            "bytes": {split.name: len(split.text.encode()) for split in splits},
            "detokenisation_invertible": all(split.invertible for split in splits),
        },
        "budget": {
            "steps": preset.steps,
            "batch_size": preset.batch_size,
            "segment_length": preset.segment_length,
            "tokens": seen,
            "epochs": round(seen / tokens["train"], 2),
            "seconds": curve[-1]["seconds"],
        },
        "settings": dataclasses.asdict(preset),
        "machine": state.machine(world_size),
        "versions": {
            "python": platform.python_version(),
            **{package: version(package) for package in ("torch", "tokenizers", "datasets", "safetensors")},
        },
        "curve_valid": {"tokens": VALID_TOKENS, "memory_length": valid_memory(preset)},
        "curve": {name: [entry.get(name) for entry in curve] for name in ("step", "tokens", "seconds", "loss", "valid_loss")},
    }


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
