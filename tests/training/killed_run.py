"""``python -m tests.training.killed_run FOLDER KIND [MOMENT]``: the tiny run, resumed; killed at that moment.

MOMENT is a step, or "writing": in the middle of the second state that is written.
"""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path
from typing import BinaryIO

import torch

from tests.training import tiny
from txlviz.training import run as runs

folder, kind, moment = Path(sys.argv[1]), sys.argv[2], (*sys.argv[3:], "")[0]
assert kind in ("xl", "vanilla")
step, write, written = runs.Run.train_step, torch.save, []


def step_and_die(run: runs.Run) -> torch.Tensor:
    """A training step, and perhaps the last one."""
    loss = step(run)
    if str(run.step) == moment:
        os.kill(os.getpid(), signal.SIGKILL)
    return loss


def write_and_die(contents: object, file: BinaryIO) -> None:
    """Writes a state, perhaps only its beginning."""
    written.append(file)
    if moment == "writing" and len(written) == 2:
        file.write(b"the first bytes of a state")
        file.flush()
        os.kill(os.getpid(), signal.SIGKILL)
    write(contents, file)


runs.Run.train_step = step_and_die  # type: ignore[method-assign]
torch.save = write_and_die
torch.set_num_threads(1)
runs.train(tiny.PRESET, kind, tiny.data(), folder, resume=True, save_every=7)
