"""The machine that measured something, in words."""

from __future__ import annotations

import os
import platform

import torch


def machine() -> str:
    """One line: ``one thread of a ... processor with 2 cores, PyTorch ...``."""
    cores, kind = os.cpu_count() or 1, f"{platform.machine()} {torch.backends.cpu.get_cpu_capability()}"
    return f"one thread of a {kind} processor with {cores} core{'s' if cores > 1 else ''}, PyTorch {torch.__version__}"


def load() -> float | None:
    """Programs that wanted a processor in the last minute, on average; None where the system doesn't tell."""
    return round(os.getloadavg()[0], 1) if hasattr(os, "getloadavg") else None
