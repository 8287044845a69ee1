"""A checkpoint folder: weights, config, tokenizer, and a card that says where they come from.

model.safetensors   the weights, float32 or rounded to float16
config.json         ModelConfig or SystemConfig
tokenizer.json      the tokenizer; missing where the card names the checkpoint that has it (``tokenizer_of``)
card.json           data, licence, budget, versions, training curve, scores, and the SHA-256 of the other three files
"""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import safetensors
import safetensors.torch
import torch

from txlviz import models
from txlviz.data.tokenizer import Tokenizer
from txlviz.models import LanguageModel, ModelConfig

CHECKPOINTS = Path(__file__).parents[1] / "checkpoints"
"""The folder of the shipped ones."""
WEIGHTS, CONFIG, TOKENIZER, CARD = "model.safetensors", "config.json", "tokenizer.json", "card.json"


class CheckpointError(ValueError):
    """A checkpoint folder can't be used; the message names the file and the reason."""


@dataclass(frozen=True)
class Checkpoint:
    """A loaded model with its tokenizer and its card."""

    path: Path
    model: LanguageModel
    tokenizer: Tokenizer
    card: dict[str, Any]

    @property
    def config(self) -> ModelConfig:
        """The model's sizes and options."""
        return self.model.config

    @property
    def is_xl(self) -> bool:
        """Whether the model has a memory."""
        return self.config.kind == "xl"

    @property
    def name(self) -> str:
        """``preset/kind``, as in ``wikitext2-4l/xl``; ``preset/variant`` where there are several of a kind."""
        return f"{self.card.get('preset', self.path.parent.name)}/{self.card.get('variant', self.config.kind)}"

    @property
    def weights_hash(self) -> str:
        """The SHA-256 of the weights: results of other weights are other results."""
        return str(self.card["sha256"][WEIGHTS])

    def inputs(self, text: str) -> list[int]:
        """What the model reads of ``text``: a newline, so that the first token has something before it, then its tokens."""
        return [self.tokenizer.newline, *self.encode(text)]

    def encode(self, text: str) -> list[int]:
        """Token ids of ``text``; ValueError where it can't be encoded (a lone surrogate)."""
        return self.tokenizer.encode(text)

    def decode(self, ids: list[int]) -> str:
        """The text of ``ids``."""
        return self.tokenizer.decode(ids)


def save(
    folder: str | Path,
    model: LanguageModel,
    tokenizer: Tokenizer,
    card: dict[str, Any],
    *,
    half_precision: bool = False,
    tokenizer_of: str | None = None,
) -> None:
    """Writes a checkpoint folder. The card is written last, with the hashes of the other files.

    Args:
        half_precision: round the weights to float16, which halves the file; ``load`` computes in float32 all the same.
        tokenizer_of: ``preset/kind`` of a checkpoint beside this one, whose tokenizer file stands for this one's.
    """
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    dtype = torch.float16 if half_precision else torch.float32
    weights = {name: tensor.detach().to(dtype).contiguous() for name, tensor in model.state_dict().items()}
    safetensors.torch.save_file(weights, folder / WEIGHTS)
    _write_json(folder / CONFIG, model.config.to_dict())
    if tokenizer_of is None:
        tokenizer.save(folder / TOKENIZER)
    else:
        card = {**card, "tokenizer_of": tokenizer_of}
    files = {WEIGHTS: folder / WEIGHTS, CONFIG: folder / CONFIG, TOKENIZER: _tokenizer_file(folder, card)}
    card = {**card, "sha256": {name: _sha256(path) for name, path in files.items()}}
    _write_card(folder, card)


def rescored(checkpoint: Checkpoint, card: dict[str, Any]) -> None:
    """Writes the config and the card of a folder anew, whose weights and tokenizer stay: another M, other scores."""
    _write_json(checkpoint.path / CONFIG, checkpoint.config.to_dict())
    hashes = {**card["sha256"], CONFIG: _sha256(checkpoint.path / CONFIG)}
    _write_card(checkpoint.path, {**card, "sha256": hashes})


def _write_card(folder: str | Path, card: dict[str, Any]) -> None:
    """Writes ``card.json``: a line a field, so that changes can be read, but curves in one line each."""
    fields = [f" {json.dumps(key)}: {json.dumps(value, ensure_ascii=False)}" for key, value in card.items()]
    (Path(folder) / CARD).write_text("{\n" + ",\n".join(fields) + "\n}\n", encoding="utf-8")


def load(folder: str | Path) -> Checkpoint:
    """Loads a checkpoint folder for the CPU, in evaluation mode.

    Raises:
        CheckpointError: a file is missing, damaged, truncated, or doesn't belong to the others; says which and why.
    """
    folder = Path(folder)
    if not folder.is_dir():
        raise CheckpointError(f"{folder}: there is no such folder")
    for name in (CARD, CONFIG, WEIGHTS):
        _check_present(folder / name)
    card = _read_json(folder / CARD)
    vocabulary = _tokenizer_file(folder, card)
    _check_present(vocabulary)
    config = _read_config(folder / CONFIG)
    _check_hash(folder / CONFIG, card)  # before anything is built by it: a damaged size could take all the memory
    try:
        tokenizer = Tokenizer.load(vocabulary)
        newline = tokenizer.encode("\n")
    except ValueError as error:
        raise CheckpointError(f"{vocabulary}: {error}") from error
    if tokenizer.vocab_size != config.vocab_size or not newline:
        raise CheckpointError(
            f"{vocabulary}: it has {tokenizer.vocab_size} tokens, but {CONFIG} says {config.vocab_size}: "
            "it belongs to another model"
        )
    weights = _read_weights(folder / WEIGHTS)
    model = _fill(models.build(config), weights, folder / WEIGHTS)
    for path in (vocabulary, folder / WEIGHTS):
        _check_hash(path, card)
    return Checkpoint(folder, model.eval(), tokenizer, card)


def _check_present(path: Path) -> None:
    if not path.is_file():
        raise CheckpointError(f"{path}: the file is missing, so this is no complete checkpoint folder")


def _tokenizer_file(folder: Path, card: dict[str, Any]) -> Path:
    """Where this checkpoint's tokenizer stands: in its folder, or in that of the checkpoint beside it that the card names."""
    shared = card.get("tokenizer_of")
    if shared is None:
        return folder / TOKENIZER
    if not isinstance(shared, str) or not re.fullmatch(r"[\w-]+/[\w-]+", shared):
        raise CheckpointError(f"{folder / CARD}: 'tokenizer_of' is {shared!r}; it must name a checkpoint, as preset/kind")
    return folder.parent.parent / shared / TOKENIZER


def _read_config(path: Path) -> ModelConfig:
    try:
        return models.config_from(_read_json(path))
    except (TypeError, ValueError) as error:
        if isinstance(error, CheckpointError):
            raise
        raise CheckpointError(f"{path}: {error}") from error


def _read_json(path: Path) -> dict[str, Any]:
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise CheckpointError(f"{path}: not readable as JSON ({error})") from error
    if not isinstance(value, dict):
        raise CheckpointError(f"{path}: expected a JSON object, found {type(value).__name__}")
    return value


def _read_weights(path: Path) -> dict[str, torch.Tensor]:
    try:
        return safetensors.torch.load_file(path)
    except (safetensors.SafetensorError, OSError, ValueError) as error:
        size = path.stat().st_size
        raise CheckpointError(f"{path}: damaged, truncated or no safetensors file ({size:,} bytes; {error})") from error


def _fill(model: LanguageModel, weights: dict[str, torch.Tensor], path: Path) -> LanguageModel:
    expected = model.state_dict()
    missing, foreign = sorted(set(expected) - set(weights)), sorted(set(weights) - set(expected))
    if missing or foreign:
        what = f"lacks {missing[0]!r}" if missing else f"holds {foreign[0]!r}, which this model doesn't have"
        raise CheckpointError(f"{path}: {what}: these weights don't belong to {CONFIG} ({model.config.kind})")
    for name, tensor in weights.items():
        if tensor.shape != expected[name].shape:
            shapes = f"{tuple(tensor.shape)}, {CONFIG} asks for {tuple(expected[name].shape)}"
            raise CheckpointError(f"{path}: {name!r} has the shape {shapes}")
        if tensor.dtype not in (torch.float32, torch.float16):
            raise CheckpointError(f"{path}: {name!r} is {tensor.dtype}, expected float32 or float16")
        if not bool(torch.isfinite(tensor).all()):
            raise CheckpointError(f"{path}: {name!r} holds values that aren't finite")
    model.load_state_dict(weights)  # copies into the model's float32
    return model


def _check_hash(path: Path, card: dict[str, Any]) -> None:
    recorded = card.get("sha256")
    if not isinstance(recorded, dict):
        raise CheckpointError(f"{path.parent / CARD}: it has no 'sha256', so it is no card of a checkpoint")
    if recorded.get(path.name) != _sha256(path):
        raise CheckpointError(
            f"{path}: its SHA-256 isn't the one in {CARD}: it was changed or damaged, or is of another checkpoint"
        )


def _sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _write_json(path: Path, value: dict[str, Any]) -> None:
    path.write_text(json.dumps(value, indent=1) + "\n", encoding="utf-8")
