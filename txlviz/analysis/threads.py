"""How many processor threads one computation takes, and how many computations run side by side."""

from __future__ import annotations

import os

import torch


def share_cores() -> int:
    """Sets the threads of one computation, and returns how many computations may run at once.

    The models are small: a second thread still pays, more hardly do. Without a bound the sessions of a class would each start
    a thread a core and slow all of them down. OMP_NUM_THREADS, where it is set, is respected.
    """
    cores = os.cpu_count() or 1
    if "OMP_NUM_THREADS" not in os.environ:
        torch.set_num_threads(min(2, cores))
    return max(1, cores // torch.get_num_threads())
