"""The shipped models of the echo task: how they are made, written and read.

NAME/model.safetensors   the weights
NAME/config.json         ModelConfig
NAME/card.json           the task, the settings, versions, the training curve, scores, and the SHA-256 of the other two files
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import platform
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

import safetensors
import safetensors.torch
import torch

from txlviz import models
from txlviz.checkpoint import CARD, CONFIG, WEIGHTS, CheckpointError
from txlviz.models import LanguageModel, ModelConfig
from txlviz.tasks.echo import EchoTask
from txlviz.tasks.scoring import accuracy_by_position
from txlviz.tasks.training import OnStep, Settings, train

FOLDER = Path(__file__).parents[2] / "checkpoints" / "tasks" / "echo"
_STEPS = 1_000
SHIPPED: Mapping[str, tuple[EchoTask, Settings]] = {
    "xl": (EchoTask(40), Settings("xl", memory_length=64, steps=_STEPS, seed=0)),
    "vanilla": (EchoTask(40), Settings("vanilla", memory_length=0, steps=_STEPS, seed=0)),
    "vanilla_d20": (EchoTask(20), Settings("vanilla", memory_length=0, steps=_STEPS, seed=0)),
}
"""What is shipped. The pair reads the same streams; the third shows that the vanilla model can do the task where it fits."""

_CURVE_EVERY = 10  # steps


@dataclass(frozen=True)
class EchoModel:
    """A model of the echo task with the task that it was trained on and its card. It has no tokenizer: it reads symbols."""

    model: LanguageModel
    task: EchoTask
    card: dict[str, Any]


def make(name: str, on_step: OnStep | None = None) -> tuple[LanguageModel, dict[str, Any]]:
    """Trains one of the shipped models anew; returns it with its card. KeyError for an unknown name."""
    task, settings = SHIPPED[name]
    curve: list[dict[str, float]] = []

    def noted(step: Any) -> None:
        if step.step % _CURVE_EVERY == 0:
            curve.append({"step": step.step, "loss": round(step.loss, 4), "accuracy": round(step.accuracy, 4)})
        if on_step:
            on_step(step)

    run, last = train(task, settings, noted)
    scores = accuracy_by_position(run.model, task)
    return run.model, {
        "name": name,
        "task": dataclasses.asdict(task),
        "settings": dataclasses.asdict(settings),
        "parameters": run.model.parameter_count(),
        "seconds": round(last.seconds, 1),
        "versions": {"python": platform.python_version(), "torch": version("torch")},
        "accuracy_by_position": [round(float(share), 4) for share in scores],
        "curve": {key: [point[key] for point in curve] for key in ("step", "loss", "accuracy")},
    }


def save(folder: Path, model: LanguageModel, card: Mapping[str, Any]) -> None:
    """Writes a folder, the card last, with the hashes of the other files."""
    folder.mkdir(parents=True, exist_ok=True)
    weights = {name: tensor.detach().contiguous() for name, tensor in model.state_dict().items()}
    safetensors.torch.save_file(weights, folder / WEIGHTS)
    (folder / CONFIG).write_text(json.dumps(model.config.to_dict(), indent=1) + "\n", encoding="utf-8")
    full = {**card, "sha256": {name: _sha256(folder / name) for name in (WEIGHTS, CONFIG)}}
    lines = [f" {json.dumps(key)}: {json.dumps(value)}" for key, value in full.items()]
    (folder / CARD).write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


def load(name: str, folder: Path = FOLDER) -> EchoModel:
    """Reads one shipped model, in evaluation mode.

    Raises:
        CheckpointError: a file is missing, damaged, or doesn't belong to the others; says which.
    """
    path = folder / name
    try:
        card = json.loads((path / CARD).read_text(encoding="utf-8"))
        for file in (WEIGHTS, CONFIG):
            if card["sha256"][file] != _sha256(path / file):
                raise CheckpointError(f"{path / file}: its SHA-256 isn't the one in {CARD}: it was changed or damaged")
        config = ModelConfig.from_dict(json.loads((path / CONFIG).read_text(encoding="utf-8")))
        with torch.random.fork_rng(devices=[]):
            model = models.build(config)
        model.load_state_dict(safetensors.torch.load_file(path / WEIGHTS))
        task = EchoTask(**card["task"])
    except CheckpointError:
        raise
    except (OSError, ValueError, KeyError, TypeError, RuntimeError, safetensors.SafetensorError) as error:
        raise CheckpointError(f"{path}: no complete model of the echo task ({error})") from error
    return EchoModel(model.eval(), task, card)


def weights_hash(name: str, folder: Path = FOLDER) -> str | None:
    """The SHA-256 of a model's weights as its card says. None where there is no card that can be read."""
    try:
        return str(json.loads((folder / name / CARD).read_text(encoding="utf-8"))["sha256"][WEIGHTS])
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()
