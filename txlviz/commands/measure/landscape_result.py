"""What the record of the landscape holds of one run: budget, curves, and scores of the weights as they are shipped."""

from __future__ import annotations

import dataclasses
import hashlib
import json
from pathlib import Path
from typing import Any

import safetensors.torch
import torch

from txlviz.analysis import variant_scores
from txlviz.data import Split, Tokenizer
from txlviz.models import SystemTransformer
from txlviz.training import state
from txlviz.training.presets import Preset
from txlviz.training.run import Finished
from txlviz.training.variants import Variant

_POINTS = 24  # of a recorded loss curve


@dataclasses.dataclass(frozen=True)
class Corpus:
    """What the runs read."""

    tokenizer: Tokenizer
    splits: list[Split]
    ids: dict[str, torch.Tensor]

    @property
    def valid(self) -> Split:
        """The split that is scored."""
        return next(split for split in self.splits if split.name == "valid")


def result(variant: Variant, preset: Preset, finished: Finished, corpus: Corpus, path: Path) -> dict[str, Any]:
    """What stands in the record of one run; kept in its folder, and read back for the same weights."""
    model = finished.model
    assert isinstance(model, SystemTransformer)
    variant_scores.rounded_to_half(model)
    digest = _digest(model)
    if path.exists():
        kept: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        if kept["weights"] == digest:
            return kept
    stride = variant.stride(preset)
    inputs = torch.cat([torch.tensor([corpus.tokenizer.newline]), corpus.ids["valid"]])
    chosen = dataclasses.asdict(variant) | {"without": list(variant.without)}
    del chosen["name"]
    budget = {
        "parameters": model.parameter_count(),
        "tokens": preset.steps * preset.batch_size * preset.segment_length,
        "targets": preset.steps * preset.batch_size * stride,
        "machine": state.machine(1),
    }
    found = {
        **chosen,
        **budget,
        "curve": _curve(finished.curve, "loss"),
        "valid_curve": _curve([entry for entry in finished.curve if "valid_loss" in entry], "valid_loss"),
        **variant_scores.scores(model, inputs, corpus.valid.words, stride),
    }
    made = {"weights": digest, "run": found}
    path.write_text(json.dumps(made) + "\n", encoding="utf-8")
    return made


def _curve(entries: list[dict[str, Any]], name: str) -> dict[str, list[float]]:
    """About 24 points: the means of as many pieces of the log, each at the tokens read by its end."""
    size = max(1, round(len(entries) / _POINTS))
    pieces = [entries[start : start + size] for start in range(0, len(entries), size)]
    means = [round(sum(entry[name] for entry in piece) / len(piece), 4) for piece in pieces]
    return {"tokens": [piece[-1]["tokens"] for piece in pieces], "loss": means}


def _digest(model: SystemTransformer) -> str:
    """The SHA-256 of the weights as they are shipped."""
    halves = {name: tensor.half().contiguous() for name, tensor in model.state_dict().items()}
    return hashlib.sha256(safetensors.torch.save(halves)).hexdigest()
