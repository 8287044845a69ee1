"""Training a pair on the echo task in the background: one at a time in a process, and never for nobody.

Knows nothing of Streamlit. Whoever starts a job gets it, and must call ``Job.alive`` now and then; a job that nobody has called
for some seconds ends by itself, so that a closed browser leaves no thread behind.
"""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from txlviz.models.config import Kind
from txlviz.tasks.echo import EchoTask
from txlviz.tasks.grid import settings
from txlviz.tasks.scoring import accuracy_by_position
from txlviz.tasks.training import EchoRun, Learned

Status = Literal["running", "done", "cancelled", "left", "failed"]
KINDS: tuple[Kind, ...] = ("xl", "vanilla")

PATIENCE = 15.0
"""Seconds without a question after which a job takes its asker for gone."""
_COOL_DOWN = 40  # steps: at a constant rate a model may end on a bad one
_STREAMS, _SEGMENTS = 64, 8


@dataclass
class Progress:
    """How far one model is. Only its own thread writes to it."""

    accuracy: list[float] = field(default_factory=list)
    """One a step: the share of the step's targets that the model named before it learned from them."""
    loss: list[float] = field(default_factory=list)
    learned_at: int | None = None
    """The step at which it had learned all that one look can bring; from there the rate falls, and the run ends early."""
    by_memory: dict[int, NDArray[np.float64]] = field(default_factory=dict)
    """Test-time M to (position,) accuracy, filled in after training."""
    finished: bool = False


class Job:
    """One pair in training. Made by ``Trainer.start``."""

    def __init__(self, task: EchoTask, memory_length: int, seed: int, tested: tuple[int, ...]) -> None:
        self.task, self.memory_length, self.seed, self.tested = task, memory_length, seed, tested
        self.progress: dict[Kind, Progress] = {kind: Progress() for kind in KINDS}
        self.began = time.monotonic()
        self.seconds: float | None = None
        """How long it took, testing included; None while it runs."""
        self._asked = self.began
        self._stop = threading.Event()
        self._why: Status = "cancelled"
        # Both models are built here, one after the other: their weights come from torch's global random state.
        self.settings = {kind: settings(kind, memory_length, seed) for kind in KINDS}
        runs = {kind: EchoRun(task, self.settings[kind]) for kind in KINDS}
        self.threads = [
            threading.Thread(target=self._work, args=(kind, run), name=f"echo-{kind}", daemon=True)
            for kind, run in runs.items()
        ]

    @property
    def status(self) -> Status:
        """What it does, or how it ended. A job that was told to end counts as ended, though its last steps may still run."""
        if self._stop.is_set():
            return self._why
        if any(thread.is_alive() for thread in self.threads):
            return "running"
        return "done" if all(progress.finished for progress in self.progress.values()) else self._why

    @property
    def share(self) -> float:
        """(0 to 1) how far the slower of the two models is, training and testing together."""
        return min(self._share(kind) for kind in KINDS)

    def _share(self, kind: Kind) -> float:
        progress = self.progress[kind]
        steps = self.settings[kind].steps if progress.learned_at is None else progress.learned_at + _COOL_DOWN
        trained = min(1.0, len(progress.accuracy) / steps)
        return 0.9 * trained + 0.1 * (1.0 if progress.finished else len(progress.by_memory) / len(self.tested))

    def alive(self) -> None:
        """Says that somebody still waits for it."""
        self._asked = time.monotonic()

    def cancel(self) -> None:
        """Ends it after the step that runs now. Returns at once."""
        self._stop.set()

    def join(self, timeout: float | None = None) -> None:
        """Waits until its threads have ended."""
        for thread in self.threads:
            thread.join(timeout)

    def _work(self, kind: Kind, run: EchoRun) -> None:
        progress = self.progress[kind]
        try:
            learned = Learned(run.task, run.settings)
            for step in run:
                progress.accuracy.append(step.accuracy)
                progress.loss.append(step.loss)
                if self._ended():
                    return
                if progress.learned_at is None and learned(step):
                    progress.learned_at = step.step
                    run.cool_down(_COOL_DOWN)
            run.model.eval()
            for rows in self.tested if kind == "xl" else (0,):
                if self._ended():
                    return
                progress.by_memory[rows] = accuracy_by_position(
                    run.model, run.task, None, rows, n_streams=_STREAMS, n_segments=_SEGMENTS
                )
            progress.finished = True
        except Exception:
            self._why = "failed"
            self._stop.set()
            raise
        finally:
            self.seconds = time.monotonic() - self.began

    def _ended(self) -> bool:
        if time.monotonic() - self._asked > PATIENCE and not self._stop.is_set():
            self._why = "left"
            self._stop.set()
        return self._stop.is_set()


class Trainer:
    """Lets one job run at a time."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._job: Job | None = None

    def start(self, task: EchoTask, memory_length: int, *, seed: int, tested: tuple[int, ...]) -> Job | None:
        """Starts a job. None where one is running already."""
        with self._lock:
            if self._job is not None and self._job.status != "running":
                self._job.join(timeout=5)  # the last steps of one that was told to end
            if self.running() is not None:
                return None
            self._job = Job(task, memory_length, seed, tested)
            for thread in self._job.threads:
                thread.start()
            return self._job

    def running(self) -> Job | None:
        """The job that runs now, whoever started it."""
        return self._job if self._job is not None and self._job.status == "running" else None
