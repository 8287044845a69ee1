"""Training on the echo task: seconds a model, on streams of symbols that never repeat."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from txlviz import models
from txlviz.models import LanguageModel, Memory, ModelConfig, TransformerXL
from txlviz.models.config import Kind
from txlviz.tasks.echo import EchoStreams, EchoTask, in_sight

_WINDOW = 50  # steps over which the accuracy is averaged where a run may end early


@dataclass(frozen=True)
class Settings:
    """All choices of one training run, but the task."""

    kind: Kind = "xl"
    segment_length: int = 32
    """(L) tokens a segment."""
    memory_length: int = 64
    """(M) rows of memory that the Transformer-XL is trained with; the vanilla model has none."""
    n_layers: int = 2
    n_heads: int = 2
    d_model: int = 64
    d_inner: int = 256
    steps: int = 400
    batch_size: int = 16
    """(B) streams side by side."""
    learning_rate: float = 3e-3
    warmup_steps: int = 20
    clip_norm: float = 1.0
    """Largest norm of the whole gradient."""
    gradient_segments: int = 1
    """(k) segments that one backward pass goes through. 1 is the paper's way: the memory is cut off from the graph (SG). With
    k > 1 the memory passes gradient inside a group of k segments and is cut off between groups."""
    seed: int = 0

    def __post_init__(self) -> None:
        for name in ("steps", "batch_size", "gradient_segments"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} is {getattr(self, name)!r}; it must be at least 1")

    def config(self, task: EchoTask) -> ModelConfig:
        """The model of this run."""
        return ModelConfig(
            kind=self.kind,
            vocab_size=task.vocab,
            n_layers=self.n_layers,
            n_heads=self.n_heads,
            d_model=self.d_model,
            d_inner=self.d_inner,
            segment_length=self.segment_length,
            mem_len=self.memory_length if self.kind == "xl" else 0,
        )


@dataclass(frozen=True)
class Step:
    """One optimizer step, as the run reports it."""

    step: int
    """From 1."""
    loss: float
    """Mean loss of this step's tokens, nats."""
    accuracy: float
    """Share of this step's targets that the model named, all positions of the segment together, before it learned from them."""
    seconds: float
    """Since the run began, training only."""


class EchoRun:
    """One training run. Iterate it to train; stop iterating to cancel it. ``model`` is usable after any step."""

    def __init__(self, task: EchoTask, settings: Settings) -> None:
        self.task, self.settings = task, settings
        with torch.random.fork_rng(devices=[]):  # a run in the app leaves the process's random state as it was
            torch.manual_seed(settings.seed)
            self.model: LanguageModel = models.build(settings.config(task))

        self._rate = 1.0  # of the settings' learning rate
        self._falls = 0.0  # what the rate loses a step

    def cool_down(self, steps: int) -> None:
        """Lets the learning rate fall towards zero over so many more steps; the run ends there. Call it while iterating."""
        self._falls = self._rate / (steps + 1)

    def __iter__(self) -> Iterator[Step]:
        """Trains, one optimizer step at a time."""
        wanted, model = self.settings, self.model
        optimizer = torch.optim.AdamW(model.parameters(), wanted.learning_rate, (0.9, 0.99), weight_decay=0.0, fused=True)
        streams = EchoStreams(self.task, wanted.batch_size, wanted.seed)
        first = streams.take(1)
        memory: Memory = ()
        seconds = 0.0
        model.train()
        for step in range(1, wanted.steps + 1):
            begun = time.perf_counter()
            self._rate -= self._falls
            if self._rate < 1e-6:
                break
            for group in optimizer.param_groups:
                group["lr"] = wanted.learning_rate * min(self._rate, step / wanted.warmup_steps)
            ids = torch.cat([first, streams.take(wanted.gradient_segments * wanted.segment_length)], dim=1)
            first = ids[:, -1:]
            loss, accuracy, memory = self._losses(ids, memory)
            optimizer.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]
            nn.utils.clip_grad_norm_(model.parameters(), wanted.clip_norm)
            optimizer.step()
            seconds += time.perf_counter() - begun
            yield Step(step, float(loss.detach()), accuracy, seconds)
        model.eval()

    def _losses(self, ids: Tensor, memory: Memory) -> tuple[Tensor, float, Memory]:
        """Mean loss and accuracy over the k segments in ``ids`` (B, k·L + 1), and the memory after them, cut off."""
        length = self.settings.segment_length
        losses, right = [], []
        for start in range(0, ids.shape[1] - 1, length):
            inputs, targets = ids[:, start : start + length], ids[:, start + 1 : start + length + 1]
            hidden, loss, memory = self._segment(inputs, targets, memory)
            losses.append(loss)
            with torch.no_grad():
                right.append((self.model.logits(hidden).argmax(-1) == targets).float().mean())
        return torch.stack(losses).mean(), float(torch.stack(right).mean()), tuple(layer.detach() for layer in memory)

    def _segment(self, inputs: Tensor, targets: Tensor, memory: Memory) -> tuple[Tensor, Tensor, Memory]:
        """Hidden states, loss and memory of one segment."""
        through = isinstance(self.model, TransformerXL) and self.settings.gradient_segments > 1
        out = self.model(inputs, memory or None, targets, **({"stop_gradient": False} if through else {}))
        return out.hidden, out.loss, out.memory


OnStep = Callable[[Step], object]


def attainable(task: EchoTask, segment_length: int, memory_length: int) -> float:
    """The best accuracy over all positions of a segment for a model that sees one look far: p + M tokens back."""
    seen = float(in_sight(task.delay, segment_length, memory_length).mean())
    return seen * task.best + (1.0 - seen) * task.chance


class Learned:
    """Tells, step by step, whether a run has held 97 % of what one look can bring above chance for 50 steps."""

    def __init__(self, task: EchoTask, settings: Settings) -> None:
        rows = settings.memory_length if settings.kind == "xl" else 0
        best = attainable(task, settings.segment_length, rows)
        self._goal = task.chance + 0.97 * (best - task.chance) if best > task.chance else None
        self._recent: list[float] = []

    def __call__(self, step: Step) -> bool:
        """Takes the next step's accuracy in. Always False where there is nothing to learn."""
        self._recent = [*self._recent[1 - _WINDOW :], step.accuracy]
        return self._goal is not None and len(self._recent) == _WINDOW and sum(self._recent) / _WINDOW >= self._goal


def train(task: EchoTask, settings: Settings, on_step: OnStep | None = None, *, early: bool = False) -> tuple[EchoRun, Step]:
    """Trains one model to the end, or, if ``early``, until it has learned. Returns the run and its last step.

    ``on_step`` is called after each optimizer step. An exception in it ends the run.
    """
    run, learned = EchoRun(task, settings), Learned(task, settings)
    for step in run:
        if on_step:
            on_step(step)
        if learned(step) and early:
            break
    run.model.eval()
    return run, step
