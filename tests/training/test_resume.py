"""A run that was killed and resumed ends at the same weights, bit for bit, as one that was not."""

from __future__ import annotations

import multiprocessing
import os
import signal
import time
from pathlib import Path

import pytest
import torch

from tests.training import tiny
from txlviz.models.config import Kind
from txlviz.training import run as runs
from txlviz.training import state
from txlviz.training.log import LOG, read


def _train(folder: Path, kind: Kind, save_every: int) -> None:
    torch.set_num_threads(1)
    runs.train(tiny.PRESET, kind, tiny.data(), folder, resume=True, save_every=save_every)


def _final(folder: Path) -> dict[str, torch.Tensor]:
    return torch.load(folder / state.STATE, weights_only=True)["model"]


@pytest.mark.parametrize("kind", ["xl", "vanilla"])
def test_killed_anywhere_ends_at_the_same_weights(tmp_path: Path, kind: Kind) -> None:
    threads = torch.get_num_threads()
    _train(tmp_path / "whole", kind, save_every=7)
    context = multiprocessing.get_context("spawn")
    for wait in (5, 20, 40):  # steps after which the process is killed, by its log
        process = context.Process(target=_train, args=(tmp_path / "killed", kind, 7))
        process.start()
        while process.is_alive() and not any(e["step"] >= wait for e in read(tmp_path / "killed" / LOG)):
            time.sleep(0.002)
        assert process.pid is not None
        os.kill(process.pid, signal.SIGKILL)
        process.join()
    _train(tmp_path / "killed", kind, save_every=7)
    whole, killed = _final(tmp_path / "whole"), _final(tmp_path / "killed")
    assert all(torch.equal(whole[name], killed[name]) for name in whole)
    logs = [read(tmp_path / name / LOG) for name in ("whole", "killed")]
    steps = [[(e["step"], e["loss"], e.get("valid_loss")) for e in log] for log in logs]
    assert steps[0] == steps[1]
    torch.set_num_threads(threads)
