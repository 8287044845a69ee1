"""The training loop: one model, one preset, from nothing or from where a run was killed."""

from __future__ import annotations

import dataclasses
import hashlib
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.parallel import DistributedDataParallel
from tqdm import tqdm

from txlviz import models
from txlviz.analysis.evaluate import stream_losses
from txlviz.data import Streams
from txlviz.models import LanguageModel, Memory, Output
from txlviz.models.config import Kind
from txlviz.training import state
from txlviz.training.log import Log
from txlviz.training.presets import Preset
from txlviz.training.schedule import learning_rate
from txlviz.training.variants import Variant
from txlviz.training.world import World

_LOG_EVERY = 10  # steps
_VALID_TOKENS = 60_000  # of the validation split, for the curve; the card's scores are over all of it


@dataclass(frozen=True)
class TrainingData:
    """Token ids of what a run reads."""

    train: Tensor
    valid: Tensor
    newline: int
    vocab_size: int


@dataclass(frozen=True)
class Finished:
    """What a run leaves."""

    model: LanguageModel
    curve: list[dict[str, Any]]
    """The log: ``step``, ``tokens``, ``seconds`` of training steps (validating and saving left out), ``loss`` (mean since the
    last entry), sometimes ``valid_loss``."""


class Run:
    """Everything that changes while training: weights, optimizer, memory, random state, and the step."""

    def __init__(self, preset: Preset, kind: Kind | Variant, data: TrainingData, world: World) -> None:
        self.preset, self.kind, self.data, self.world = preset, kind, data, world
        self.scored = kind.stride(preset) if isinstance(kind, Variant) else preset.segment_length  # targets of each segment
        torch.manual_seed(preset.seed)
        config = kind.config(preset, data.vocab_size) if isinstance(kind, Variant) else preset.config(kind, data.vocab_size)
        self.model = models.build(config)
        self.trained: nn.Module = DistributedDataParallel(self.model) if world.size > 1 else self.model
        self.optimizer = torch.optim.AdamW(
            _groups(self.model, preset.weight_decay), preset.learning_rate, (0.9, 0.99), fused=True
        )
        self.streams = Streams(data.train, preset.batch_size, preset.segment_length, preset.seed, self.scored)
        self.rows = world.share(preset.batch_size)
        self.memory: Memory = ()
        self.step = 0
        self.seconds = 0.0
        torch.manual_seed(preset.seed + 1 + world.rank)  # dropout: another mask in every process

    def train_step(self) -> Tensor:
        """One optimizer step; returns this process's mean loss."""
        preset = self.preset
        rate = learning_rate(self.step, peak=preset.learning_rate, warmup_steps=preset.warmup_steps, total_steps=preset.steps)
        for group in self.optimizer.param_groups:
            group["lr"] = rate
        if self.streams.starts_epoch(self.step):
            self.memory = ()
        inputs, targets = self.streams.batch(self.step, self.rows)
        loss = self._loss(inputs, targets)
        self.optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        nn.utils.clip_grad_norm_(self.model.parameters(), preset.clip_norm)
        self.optimizer.step()
        self.step += 1
        return loss.detach()

    def _loss(self, inputs: Tensor, targets: Tensor) -> Tensor:
        """The loss of one step, on the targets that it is taken on; the memory goes on."""
        if self.scored == inputs.shape[1]:
            out: Output = self.trained(inputs, self.memory or None, targets)
            self.memory = out.memory
            assert out.loss is not None
            return out.loss
        out = self.trained(inputs, self.memory or None, read_again=inputs.shape[1] - self.scored)
        self.memory = out.memory
        return self.model.mean_loss(out.hidden[:, -self.scored :], targets[:, -self.scored :])

    def valid_loss(self) -> float:
        """Mean loss (nats a token) on the first part of the validation split, with the training's L and M."""
        ids = torch.cat([torch.tensor([self.data.newline]), self.data.valid[:_VALID_TOKENS]])
        return float(stream_losses(self.model, ids, self.preset.segment_length, batch_size=16).mean())

    def settings(self) -> dict[str, Any]:
        """What makes this run this run."""
        kind = list(dataclasses.astuple(self.kind)) if isinstance(self.kind, Variant) else self.kind
        return {**dataclasses.asdict(self.preset), "kind": kind, "train_tokens": _digest(self.data.train)}

    def save(self, folder: Path) -> None:
        """Writes the state; in several processes the first one writes for all."""
        memory = [self.world.gather(layer) for layer in self.memory]
        random = self.world.gather(torch.get_rng_state())
        if self.world.is_main:
            contents = {
                "settings": self.settings(),
                "machine": state.machine(self.world.size),
                "step": self.step,
                "seconds": self.seconds,
                "model": self.model.state_dict(),
                "optimizer": self.optimizer.state_dict(),
                "memory": memory,
                "random": random,
            }
            state.write(folder, contents)
        self.world.wait()

    def restore(self, folder: Path) -> None:
        """Goes back to the last state written, if there is one. ResumeError if it doesn't fit."""
        saved = state.read(folder, expected=self.settings(), world_size=self.world.size)
        if saved is None:
            return
        self.model.load_state_dict(saved["model"])
        self.optimizer.load_state_dict(saved["optimizer"])
        self.memory = tuple(layer[self.world.rank] for layer in saved["memory"])
        self.step, self.seconds = saved["step"], saved["seconds"]
        torch.set_rng_state(saved["random"][self.world.rank])


def train(
    preset: Preset,
    kind: Kind | Variant,
    data: TrainingData,
    folder: Path,
    *,
    resume: bool = False,
    save_every: int = 200,
    world: World | None = None,
    looks: int = 24,
) -> Finished:
    """Trains one model and returns it with its log. Writes ``folder/state.pt`` every ``save_every`` steps and ``log.jsonl``.

    Args:
        looks: about how often the loss on the validation split is taken over the run.

    Raises:
        ResumeError: ``resume`` was asked for, but the state in ``folder`` is of another run or another machine.
    """
    world = world or World()
    run = Run(preset, kind, data, world)
    if resume:
        run.restore(folder)
    elif world.is_main:
        state.forget(folder)
    world.wait()
    log = Log(folder, from_step=run.step) if world.is_main else None
    tokens_a_step = preset.batch_size * preset.segment_length
    recent: list[Tensor] = []
    with tqdm(
        total=preset.steps * tokens_a_step,
        initial=run.step * tokens_a_step,
        unit=" tokens",
        unit_scale=True,
        desc=f"{preset.name}/{kind.name if isinstance(kind, Variant) else kind}",
        disable=not world.is_main,
    ) as bar:
        while run.step < preset.steps:
            start = time.perf_counter()
            recent.append(run.train_step())
            run.seconds += time.perf_counter() - start
            bar.update(tokens_a_step)
            last = run.step == preset.steps
            saves = run.step % save_every == 0 or last
            if saves or run.step % _LOG_EVERY == 0:
                loss = round(float(world.mean(torch.stack(recent).mean())), 5)
                recent = []
                bar.set_postfix_str(f"loss {loss:.3f}", refresh=False)
                if log:
                    checked = last or run.step % _valid_every(preset, looks) == 0
                    valid = {"valid_loss": round(run.valid_loss(), 5)} if checked else {}
                    seconds = round(run.seconds, 2)
                    log.write(step=run.step, tokens=run.step * tokens_a_step, seconds=seconds, loss=loss, **valid)
            if saves:
                run.save(folder)
    run.model.eval()
    return Finished(run.model, log.entries() if log else [])


def _valid_every(preset: Preset, looks: int) -> int:
    """Steps between two looks at the validation split, on steps that are logged."""
    return max(1, preset.steps // looks // _LOG_EVERY) * _LOG_EVERY


def _digest(ids: Tensor) -> str:
    """What tells one corpus from another: the number of tokens, and a hash of them."""
    return f"{len(ids)} {hashlib.sha256(ids.numpy().tobytes()).hexdigest()[:16]}"


def _groups(model: nn.Module, weight_decay: float) -> list[dict[str, Any]]:
    """Decay for matrices only: biases, norms, u and v aren't pulled to zero."""
    matrices = [p for p in model.parameters() if p.dim() == 2]
    others = [p for p in model.parameters() if p.dim() != 2]
    return [{"params": matrices, "weight_decay": weight_decay}, {"params": others, "weight_decay": 0.0}]
