"""What the cards say the models score: numbers for the page, read without loading a model."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from txlviz.ui import models, text

_COLUMNS = {"token_perplexity": "per token", "word_perplexity": "per word", "bits_per_byte": "bits per byte"}
_MODELS = {"xl": "Transformer-XL", "vanilla": "Vanilla"}


def gain(preset: str, split: str = "valid") -> float | None:
    """By how many percent the Transformer-XL's perplexity per token is lower; None where a card has no scores."""
    xl, vanilla = (_scores(preset, kind, split) for kind in ("xl", "vanilla"))
    if not xl or not vanilla:
        return None
    return 100 * (1 - float(xl["token_perplexity"]) / float(vanilla["token_perplexity"]))


def sentence(candidates: int) -> str:
    """The average beside the picked case, as Markdown."""
    preset = models.DEFAULT_PRESET
    mean = gain(preset)
    if mean is None:
        return text.prose("start", "no_scores").format(count=candidates)
    xl, vanilla = (_scores(preset, kind, "valid") for kind in ("xl", "vanilla"))
    return text.prose("start", "picked").format(
        count=candidates,
        gain=f"{mean:.0f}",
        xl=_numbers(xl)["per token"],
        vanilla=_numbers(vanilla)["per token"],
        L=xl["segment_length"],
        M=xl["memory_length"],
    )


def table(*presets: str, split: str = "valid") -> list[dict[str, str]]:
    """A row a model: its perplexities, and the settings that they hold for. Presets without scores are left out."""
    rows = []
    for preset in presets:
        for kind, name in _MODELS.items():
            scores = _scores(preset, kind, split)
            if scores:
                rows.append({"model": f"{name}, {models.layers_label(preset)}", **_numbers(scores), "L, M": _settings(scores)})
    return rows


def _numbers(scores: Mapping[str, Any]) -> dict[str, str]:
    return {title: f"{float(scores[key]):.{3 if key == 'bits_per_byte' else 1}f}" for key, title in _COLUMNS.items()}


def _settings(scores: Mapping[str, Any]) -> str:
    return f"{scores['segment_length']},\N{NO-BREAK SPACE}{scores['memory_length']}"


def _scores(preset: str, kind: str, split: str) -> dict[str, Any]:
    found = models.card(preset, kind).get("scores", {}).get(split, {})
    complete = isinstance(found, dict) and {*_COLUMNS, "segment_length", "memory_length"} <= set(found)
    return found if complete else {}
