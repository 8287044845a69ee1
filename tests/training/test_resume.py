"""A run that was killed and resumed ends at the same weights, bit for bit, as one that was not."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest
import torch

from tests.training import tiny
from txlviz.models.config import Kind
from txlviz.training import state
from txlviz.training.log import LOG, read

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("kind", ["xl", "vanilla"])
def test_killed_anywhere_ends_at_the_same_weights(tmp_path: Path, kind: Kind) -> None:
    for folder, moment in [
        ("whole", ""),
        ("killed", "5"),
        ("killed", "20"),
        ("killed", "writing"),
        ("killed", "50"),
        ("killed", ""),
    ]:
        command = [sys.executable, "-m", "tests.training.killed_run", str(tmp_path / folder), kind, moment]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
        assert done.returncode == (-signal.SIGKILL if moment else 0), done.stderr
    whole, killed = (torch.load(tmp_path / name / state.STATE, weights_only=True)["model"] for name in ("whole", "killed"))
    assert all(torch.equal(whole[name], killed[name]) for name in whole)
    logs = [read(tmp_path / name / LOG) for name in ("whole", "killed")]
    curves = [[(entry["step"], entry["loss"], entry.get("valid_loss")) for entry in log] for log in logs]
    assert curves[0] == curves[1]
    assert [step for step, _, _ in curves[0]][-1] == tiny.PRESET.steps
