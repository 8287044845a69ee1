"""How many processor threads one computation takes, and how many computations run side by side."""

from __future__ import annotations

import os

import torch


def share_cores() -> int:
    """One thread for each computation; returns how many computations may run at once: as many as there are cores.

    The models are small. A second thread gains little on an idle machine, and on a busy one (a class of sessions, a training
    run) the threads wait for each other at every step: 2,000 tokens took 0.3 s with one thread and 1.5 s with two there.
    """
    torch.set_num_threads(1)
    return os.cpu_count() or 1
