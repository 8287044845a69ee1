"""A run that was killed and resumed ends at the same weights, bit for bit, as one that was not."""

from __future__ import annotations

import multiprocessing
import os
import signal
from pathlib import Path
from typing import BinaryIO

import pytest
import torch

from tests.training import tiny
from txlviz.models.config import Kind
from txlviz.training import run as runs
from txlviz.training import state
from txlviz.training.log import LOG, read


def _train(folder: Path, kind: Kind, killed_at: str | None = None) -> None:
    """Trains in one thread; ``killed_at`` is a step, or "writing": in the middle of the second state that is written."""
    torch.set_num_threads(1)
    step, write, written = runs.Run.train_step, torch.save, []

    def step_and_die(run: runs.Run) -> torch.Tensor:
        loss = step(run)
        if str(run.step) == killed_at:
            os.kill(os.getpid(), signal.SIGKILL)
        return loss

    def write_and_die(contents: object, file: BinaryIO) -> None:
        written.append(file)
        if killed_at == "writing" and len(written) == 2:
            file.write(b"the first bytes of a state")
            file.flush()
            os.kill(os.getpid(), signal.SIGKILL)
        write(contents, file)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(runs.Run, "train_step", step_and_die)
        patch.setattr(torch, "save", write_and_die)
        runs.train(tiny.PRESET, kind, tiny.data(), folder, resume=True, save_every=7)


@pytest.mark.parametrize("kind", ["xl", "vanilla"])
def test_killed_anywhere_ends_at_the_same_weights(tmp_path: Path, kind: Kind) -> None:
    context = multiprocessing.get_context("spawn")
    for folder, killed_at in [
        ("whole", None),
        ("killed", "5"),
        ("killed", "20"),
        ("killed", "writing"),
        ("killed", "50"),
        ("killed", None),
    ]:
        process = context.Process(target=_train, args=(tmp_path / folder, kind, killed_at))
        process.start()
        process.join()
        assert process.exitcode == (0 if killed_at is None else -signal.SIGKILL)
    whole, killed = (torch.load(tmp_path / name / state.STATE, weights_only=True)["model"] for name in ("whole", "killed"))
    assert all(torch.equal(whole[name], killed[name]) for name in whole)
    logs = [read(tmp_path / name / LOG) for name in ("whole", "killed")]
    curves = [[(entry["step"], entry["loss"], entry.get("valid_loss")) for entry in log] for log in logs]
    assert curves[0] == curves[1]
    assert [step for step, _, _ in curves[0]][-1] == tiny.PRESET.steps
