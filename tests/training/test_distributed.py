"""Two processes under torchrun train the same model as one process does, up to rounding; killed, they resume to the bit."""

from __future__ import annotations

import dataclasses
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import torch

from tests.training import tiny
from txlviz.training import run as runs
from txlviz.training import state

ROOT = Path(__file__).parents[2]
SCRIPT = """
import dataclasses, pathlib, sys
import torch
torch.set_num_threads(1)
from tests.training import tiny
from txlviz.training import run as runs
from txlviz.training.world import joined_world
preset = dataclasses.replace(tiny.PRESET, steps=30, dropout=0.0, attention_dropout=0.0)
with joined_world() as world:
    runs.train(preset, "xl", tiny.data(), pathlib.Path(sys.argv[1]), resume=True, save_every=10, world=world)
"""


_ENVIRONMENT = {**os.environ, "PYTHONPATH": str(ROOT)}


def _command(folder: Path, script: Path) -> list[str]:
    script.write_text(SCRIPT)
    return [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node=2", str(script), str(folder)]


def _torchrun(folder: Path, script: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        _command(folder, script), cwd=ROOT, env=_ENVIRONMENT, capture_output=True, text=True, timeout=180, check=False
    )


def test_two_processes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch, "get_num_threads", lambda: 1)  # as in the script: only the number of processes differs
    done = _torchrun(tmp_path / "two", tmp_path / "script.py")
    assert done.returncode == 0, done.stderr
    two = torch.load(tmp_path / "two" / state.STATE, weights_only=True)
    assert two["machine"]["world_size"] == 2
    assert len(two["memory"][0]) == len(two["random"]) == 2

    preset = dataclasses.replace(tiny.PRESET, steps=30, dropout=0.0, attention_dropout=0.0)
    one = runs.train(preset, "xl", tiny.data(), tmp_path / "one").model.state_dict()
    assert max(float((one[name] - two["model"][name]).abs().max()) for name in one) < 1e-3
    logs = [[json.loads(line) for line in (tmp_path / name / "log.jsonl").read_text().splitlines()] for name in ("one", "two")]
    assert abs(logs[0][0]["loss"] - logs[1][0]["loss"]) < 1e-4

    # killed half-way: the same weights in the end
    killed = subprocess.Popen(
        _command(tmp_path / "killed", tmp_path / "script.py"),
        cwd=ROOT,
        env=_ENVIRONMENT,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    while killed.poll() is None and not (tmp_path / "killed" / state.STATE).exists():
        time.sleep(0.01)
    os.killpg(killed.pid, signal.SIGKILL)
    killed.wait()
    assert _torchrun(tmp_path / "killed", tmp_path / "script.py").returncode == 0
    resumed = torch.load(tmp_path / "killed" / state.STATE, weights_only=True)["model"]
    assert all(torch.equal(resumed[name], two["model"][name]) for name in resumed)

    # one process can't go on with the state of two
    with pytest.raises(state.ResumeError, match="world_size = 2; here it is 1"):
        runs.train(preset, "xl", tiny.data(), tmp_path / "two", resume=True)
