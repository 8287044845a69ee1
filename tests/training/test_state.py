"""What a resumed run insists on, and what a kill leaves behind."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest
import torch

from tests.training import tiny
from txlviz.training import run as runs
from txlviz.training import state
from txlviz.training.log import LOG, Log, read
from txlviz.training.memory import MemoryDraws
from txlviz.training.presets import Preset


def _short(**changes: object) -> Preset:
    return dataclasses.replace(tiny.PRESET, steps=6, **changes)  # type: ignore[arg-type]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    runs.train(_short(), "xl", tiny.data(), tmp_path, save_every=3)
    return tmp_path


def test_another_preset_is_refused(folder: Path) -> None:
    with pytest.raises(state.ResumeError, match=r"learning_rate = 0\.01, not 0\.5"):
        runs.train(_short(learning_rate=0.5), "xl", tiny.data(), folder, resume=True)


def test_another_kind_is_refused(folder: Path) -> None:
    with pytest.raises(state.ResumeError, match="kind = 'xl', not 'vanilla'"):
        runs.train(_short(), "vanilla", tiny.data(), folder, resume=True)


@pytest.mark.parametrize("name", ["threads", "world_size", "processor", "torch"])
def test_another_machine_is_refused(folder: Path, name: str) -> None:
    contents = torch.load(folder / state.STATE, weights_only=True)
    contents["machine"][name] = "other"
    state.write(folder, contents)
    with pytest.raises(state.ResumeError, match=f"{name} = 'other'"):
        runs.train(_short(), "xl", tiny.data(), folder, resume=True)


def test_a_damaged_state_is_named(folder: Path) -> None:
    (folder / state.STATE).write_bytes(b"not a state")
    with pytest.raises(state.ResumeError, match=r"state\.pt: damaged"):
        runs.train(_short(), "xl", tiny.data(), folder, resume=True)


def test_a_finished_run_resumes_to_itself(folder: Path) -> None:
    before = torch.load(folder / state.STATE, weights_only=True)["model"]
    finished = runs.train(_short(), "xl", tiny.data(), folder, resume=True)
    assert all(torch.equal(before[name], tensor) for name, tensor in finished.model.state_dict().items())
    assert finished.curve[-1]["step"] == 6


def test_without_resume_a_run_starts_anew(folder: Path) -> None:
    finished = runs.train(_short(seed=4), "xl", tiny.data(), folder, save_every=3)
    assert [entry["step"] for entry in finished.curve] == [3, 6]


def test_a_new_start_forgets_the_old_run_at_once(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def killed(self: runs.Run) -> torch.Tensor:
        raise KeyboardInterrupt

    monkeypatch.setattr(runs.Run, "train_step", killed)
    with pytest.raises(KeyboardInterrupt):
        runs.train(_short(seed=5), "xl", tiny.data(), folder)
    monkeypatch.undo()
    finished = runs.train(_short(seed=5), "xl", tiny.data(), folder, resume=True, save_every=2)
    assert [entry["step"] for entry in finished.curve] == [2, 4, 6]


@pytest.mark.parametrize(("content", "message"), [(None, "doesn't reach step 6"), ("{broken\n", "damaged")])
def test_a_log_that_is_gone_or_damaged_is_named(folder: Path, content: str | None, message: str) -> None:
    (folder / LOG).unlink() if content is None else (folder / LOG).write_text(content)
    with pytest.raises(state.ResumeError, match=rf"log\.jsonl: .*{message}"):
        runs.train(_short(), "xl", tiny.data(), folder, resume=True)


def test_another_corpus_of_the_same_size_is_refused(folder: Path) -> None:
    other = dataclasses.replace(tiny.data(), train=tiny.data().train.flip(0))
    with pytest.raises(state.ResumeError, match="train_tokens"):
        runs.train(_short(), "xl", other, folder, resume=True)


def test_the_log_drops_what_came_after_the_state_and_a_cut_line(tmp_path: Path) -> None:
    log = Log(tmp_path, from_step=0)
    for step in (10, 20, 30):
        log.write(step=step, loss=1.0)
    with (tmp_path / LOG).open("a") as file:
        file.write('{"step": 40, "lo')
    assert [entry["step"] for entry in read(tmp_path / LOG)] == [10, 20, 30]
    assert [entry["step"] for entry in Log(tmp_path, from_step=20).entries()] == [10, 20]
    with pytest.raises(state.ResumeError, match="doesn't reach step 30"):
        Log(tmp_path, from_step=30)


def test_the_memory_starts_empty_in_every_epoch_and_is_carried_within_it() -> None:
    preset = dataclasses.replace(tiny.PRESET, memory=MemoryDraws((12,), (1.0,)))
    run = runs.Run(preset, "xl", tiny.data(), runs.World())
    rows = []
    for _ in range(run.streams.steps_per_epoch + 2):
        if run.streams.starts_epoch(run.step):
            rows.append(0)
        run.train_step()
        memory, own_rows = run.memory.read(12)
        assert memory is not None
        assert own_rows is None
        assert all(not layer.requires_grad for layer in memory)
        rows.append(memory[0].shape[1])
    assert rows[:4] == [0, 8, 12, 12]
    assert rows[-3:] == [0, 8, 12]


def test_the_loss_falls() -> None:
    torch.manual_seed(0)
    repeating = torch.arange(60).repeat(20)
    run = runs.Run(tiny.PRESET, "xl", dataclasses.replace(tiny.data(), train=repeating), runs.World())
    losses = [float(run.train_step()) for _ in range(60)]
    assert sum(losses[-5:]) < 0.7 * sum(losses[:5])
