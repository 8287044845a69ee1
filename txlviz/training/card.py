"""The card of a trained model: what it was made of, and how. What it scores comes from ``card_scores``."""

from __future__ import annotations

import dataclasses
import platform
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from typing import Any

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
