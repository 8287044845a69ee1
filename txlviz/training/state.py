"""The state of an unfinished run, written so that a kill at any moment leaves a whole one behind."""

from __future__ import annotations

import os
import platform
from pathlib import Path
from typing import Any

import torch

STATE = "state.pt"


class ResumeError(ValueError):
    """A run can't be resumed here; the message says why."""


def machine(world_size: int) -> dict[str, Any]:
    """What the exact bits of a run depend on, besides its preset: a resumed run must find the same."""
    return {
        "torch": str(torch.__version__),
        "processor": f"{platform.machine()} {torch.backends.cpu.get_cpu_capability()}",
        "threads": torch.get_num_threads(),
        "world_size": world_size,
    }


def write(folder: Path, state: dict[str, Any]) -> None:
    """Replaces the state in one step: first a file beside it, then a rename, which the system does wholly or not at all."""
    folder.mkdir(parents=True, exist_ok=True)
    beside = folder / (STATE + ".new")
    with beside.open("wb") as file:
        torch.save(state, file)
        file.flush()
        os.fsync(file.fileno())
    beside.replace(folder / STATE)


def forget(folder: Path) -> None:
    """Removes the state of an earlier run, before anything else of it is overwritten."""
    (folder / STATE).unlink(missing_ok=True)


def read(folder: Path, *, expected: dict[str, Any], world_size: int) -> dict[str, Any] | None:
    """The last state of a run, or None if there is none.

    Raises:
        ResumeError: the state is damaged, or is of another run (``expected``) or another machine.
    """
    path = folder / STATE
    if not path.exists():
        return None
    try:
        state = torch.load(path, weights_only=True)  # tensors and plain values only: nothing in it can run
        then, now = state["machine"], machine(world_size)
        settings = state["settings"]
    except Exception as error:  # torch raises many kinds for a damaged file
        raise ResumeError(f"{path}: damaged ({error}); delete it to start anew") from error
    for name, value in expected.items():
        if settings.get(name) != value:
            raise ResumeError(f"{path}: this run was started with {name} = {settings.get(name)!r}, not {value!r}")
    for name, value in now.items():
        if then.get(name) != value:
            raise ResumeError(
                f"{path}: this run was started with {name} = {then.get(name)!r}; here it is {value!r}. "
                "A resumed run ends at the same weights only where both agree"
            )
    return dict(state)
