"""Jobs in the background: one at a time, cancelled within a second, and gone when nobody asks."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator

import pytest

from txlviz.tasks import EchoTask, Settings, background
from txlviz.tasks.background import Job, Trainer

TASK = EchoTask(5)


def tiny(steps: int) -> Callable[[str, int, int], Settings]:
    def settings(kind: str, memory_length: int, seed: int) -> Settings:
        rows = memory_length if kind == "xl" else 0
        return Settings(
            kind,  # type: ignore[arg-type]
            segment_length=4,
            memory_length=rows,
            n_heads=1,
            d_model=8,
            d_inner=8,
            batch_size=2,
            steps=steps,
            seed=seed,
        )

    return settings


@pytest.fixture
def trainer(monkeypatch: pytest.MonkeyPatch) -> Iterator[Trainer]:
    """Small models, and no thread left behind."""
    monkeypatch.setattr(background, "settings", tiny(10_000))
    made = Trainer()
    yield made
    if (job := made.running()) is not None:
        job.cancel()
    assert made._job is None or wait(lambda: not any(thread.is_alive() for thread in made._job.threads))


def wait(until: Callable[[], object], seconds: float = 60.0, job: Job | None = None) -> bool:
    """Polls; True as soon as it holds. ``job``, if given, is kept alive meanwhile."""
    ends, pause = time.monotonic() + seconds, threading.Event()
    while time.monotonic() < ends:
        if job is not None:
            job.alive()
        if until():
            return True
        pause.wait(0.01)
    return False


def started(trainer: Trainer, M: int = 4) -> Job:
    job = trainer.start(TASK, M, seed=0, tested=(0, 4))
    assert job is not None
    return job


def test_a_job_trains_both_and_measures_them(trainer: Trainer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(background, "settings", tiny(30))
    job = started(trainer)
    assert wait(lambda: job.status != "running", job=job)
    assert job.status == "done"
    assert job.share == 1.0
    assert [len(job.progress[kind].accuracy) for kind in ("xl", "vanilla")] == [30, 30]
    assert sorted(job.progress["xl"].by_memory) == [0, 4]
    assert list(job.progress["vanilla"].by_memory) == [0]
    assert job.progress["xl"].by_memory[4].shape == (4,)
    assert job.seconds is not None
    assert trainer.running() is None


def test_one_at_a_time(trainer: Trainer) -> None:
    first = started(trainer)
    assert trainer.start(TASK, 0, seed=1, tested=(0,)) is None
    assert trainer.running() is first
    assert wait(lambda: len(first.progress["xl"].accuracy) > 2, job=first)
    assert 0 < first.share < 1


def test_cancel_works_within_a_second_and_frees_the_place(trainer: Trainer) -> None:
    job = started(trainer)
    assert wait(lambda: len(job.progress["vanilla"].accuracy) > 2, job=job)
    asked = time.monotonic()
    job.cancel()
    assert job.status == "cancelled"
    job.join(5)
    assert time.monotonic() - asked < 1
    assert not any(thread.is_alive() for thread in job.threads)
    assert started(trainer) is trainer.running()


def test_a_job_that_nobody_asks_ends_by_itself(trainer: Trainer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(background, "PATIENCE", 2.0)
    job = started(trainer)
    for _ in range(12):
        threading.Event().wait(0.25)
        job.alive()
    assert job.status == "running", "it was asked all the time"
    assert wait(lambda: job.status == "left", seconds=10)
    assert wait(lambda: not any(thread.is_alive() for thread in job.threads), seconds=2)


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_a_job_that_fails_says_so(trainer: Trainer, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*args: object, **options: object) -> None:
        raise RuntimeError("no")

    monkeypatch.setattr(background, "settings", tiny(2))
    monkeypatch.setattr(background, "accuracy_by_position", broken)
    job = started(trainer)
    assert wait(lambda: job.status == "failed", job=job)
    monkeypatch.setattr(background, "settings", tiny(10_000))
    assert started(trainer).status == "running"


def test_a_model_that_has_learned_ends_early(trainer: Trainer, monkeypatch: pytest.MonkeyPatch) -> None:
    class AfterFive:
        def __init__(self, *args: object) -> None:
            self.steps = 0

        def __call__(self, step: object) -> bool:
            self.steps += 1
            return self.steps == 5

    monkeypatch.setattr(background, "Learned", AfterFive)
    job = started(trainer)
    assert wait(lambda: job.status == "done", job=job)
    assert [job.progress[kind].learned_at for kind in ("xl", "vanilla")] == [5, 5]
    cooled = 5 + background._COOL_DOWN
    assert [len(job.progress[kind].accuracy) for kind in ("xl", "vanilla")] == [cooled, cooled]
    assert job.share == 1.0
