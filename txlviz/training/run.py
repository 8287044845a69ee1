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
from txlviz.models import LanguageModel, Output
from txlviz.models.config import Kind
from txlviz.training import state
from txlviz.training.log import Log
from txlviz.training.memory import StreamMemory
from txlviz.training.optimizers import optimizers
from txlviz.training.presets import Preset
from txlviz.training.schedule import learning_rate
from txlviz.training.variants import Variant
from txlviz.training.world import World

_LOG_EVERY = 10  # steps
_VALID_MEMORY = 256  # rows
VALID_TOKENS = 60_000  # of the validation split, for the curve; the card's scores are over all of it


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
        self.optimizers = optimizers(
            self.model,
            preset.optimizer,
            rate=preset.learning_rate,
            matrix_rate=preset.matrix_learning_rate,
            weight_decay=preset.weight_decay,
        )
        self.streams = Streams(data.train, preset.batch_size, preset.segment_length, preset.seed, self.scored)
        self.rows = world.share(preset.batch_size)
        self.memory = StreamMemory(self.rows.stop - self.rows.start, preset.memory.longest, self.scored)
        self.step = 0
        self.seconds = 0.0
        torch.manual_seed(preset.seed + 1 + world.rank)  # dropout: another mask in every process

    def train_step(self) -> Tensor:
        """One optimizer step; returns this process's mean loss."""
        preset = self.preset
        share = learning_rate(self.step, peak=1.0, warmup_steps=preset.warmup_steps, total_steps=preset.steps)
        for optimizer in self.optimizers:
            for group in optimizer.param_groups:
                group["lr"] = share * group["peak"]
        if self.streams.starts_epoch(self.step):
            self.memory.clear()
        inputs, targets = self.streams.batch(self.step, self.rows)
        loss = self._loss(inputs, targets)
        self.model.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        nn.utils.clip_grad_norm_(self.model.parameters(), preset.clip_norm)
        for optimizer in self.optimizers:
            optimizer.step()
        self.step += 1
        return loss.detach()

    def _loss(self, inputs: Tensor, targets: Tensor) -> Tensor:
        """The loss of one step, on the targets that it is taken on; the memory goes on."""
        options: dict[str, Any] = {}
        memory = None
        if self.model.has_memory:
            length, begin = self.preset.memory.draw(self.preset.seed, self.step, self.preset.batch_size)
            self.memory.begin(begin[self.rows])
            memory, own_rows = self.memory.read(length)
            options = {} if own_rows is None else {"own_rows": own_rows}
        if self.scored == inputs.shape[1]:
            out: Output = self.trained(inputs, memory, targets, **options)
            assert out.loss is not None
            loss = out.loss
        else:
            out = self.trained(inputs, memory, read_again=inputs.shape[1] - self.scored, **options)
            loss = self.model.mean_loss(out.hidden[:, -self.scored :], targets[:, -self.scored :])
        if self.model.has_memory:
            self.memory.keep(out.memory)
        return loss

    def valid_loss(self) -> float:
        """Mean loss (nats a token) on the first part of the validation split, with its own L and ``valid_memory``."""
        ids = torch.cat([torch.tensor([self.data.newline]), self.data.valid[:VALID_TOKENS]])
        rows = valid_memory(self.preset) if self.model.has_memory else None
        return float(stream_losses(self.model, ids, self.preset.segment_length, rows, batch_size=16).mean())

    def settings(self) -> dict[str, Any]:
        """What makes this run this run."""
        kind = list(dataclasses.astuple(self.kind)) if isinstance(self.kind, Variant) else self.kind
        return {**dataclasses.asdict(self.preset), "kind": kind, "train_tokens": _digest(self.data.train)}

    def save(self, folder: Path) -> None:
        """Writes the state; in several processes the first one writes for all."""
        rows, own = self.memory.state()
        memory = [self.world.gather(layer) for layer in rows]
        own_rows = self.world.gather(own)
        random = self.world.gather(torch.get_rng_state())
        if self.world.is_main:
            contents = {
                "settings": self.settings(),
                "machine": state.machine(self.world.size),
                "step": self.step,
                "seconds": self.seconds,
                "model": self.model.state_dict(),
                "optimizers": [optimizer.state_dict() for optimizer in self.optimizers],
                "memory": memory,
                "own_rows": own_rows,
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
        for optimizer, then in zip(self.optimizers, saved["optimizers"], strict=True):
            optimizer.load_state_dict(then)
        rank = self.world.rank
        self.memory.restore([layer[rank] for layer in saved["memory"]], saved["own_rows"][rank])
        self.step, self.seconds = saved["step"], saved["seconds"]
        torch.set_rng_state(saved["random"][rank])


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


def valid_memory(preset: Preset) -> int:
    """(M) rows that the Transformer-XL reads where the validation loss of its curve is taken."""
    return min(_VALID_MEMORY, preset.memory.longest)


def _valid_every(preset: Preset, looks: int) -> int:
    """Steps between two looks at the validation split, on steps that are logged."""
    return max(1, preset.steps // looks // _LOG_EVERY) * _LOG_EVERY


def _digest(ids: Tensor) -> str:
    """What tells one corpus from another: the number of tokens, and a hash of them."""
    return f"{len(ids)} {hashlib.sha256(ids.numpy().tobytes()).hexdigest()[:16]}"
