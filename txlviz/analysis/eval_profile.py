"""What the time of a scored token goes into: why the clock and the FLOPs don't say the same."""

from __future__ import annotations

import os
from collections.abc import Mapping

import torch
from torch.profiler import ProfilerActivity, profile

from txlviz.analysis.eval_speed import SEGMENT_LENGTH, Reader, readers
from txlviz.checkpoint import Checkpoint

PRODUCTS = {"aten::mm", "aten::addmm", "aten::bmm"}
KERNEL = "aten::_scaled_dot_product"


@torch.inference_mode()
def time_shares(
    xl: Checkpoint, vanilla: Checkpoint, attention_length: int, *, repeats: int = 9, segment_length: int = SEGMENT_LENGTH
) -> dict[str, dict[str, float]]:
    """``xl`` and ``vanilla`` to shares (0 to 1, together 1) of the processor's time, from PyTorch's profiler.

    ``attention`` is the fused kernel (products and softmax), ``products`` all other matrix products, ``other`` the rest:
    padding and copies of the relative shift, norms, ReLU, the loss. Of the ``repeats`` runs the fastest counts: the profiler's
    clock also runs while other programs have the processor.
    """
    os.environ.setdefault("KINETO_LOG_LEVEL", "99")  # or the profiler writes lines to standard error
    shares: dict[str, dict[str, float]] = {}
    for name, reader in readers(xl, vanilla, attention_length, segment_length).items():
        for _ in reader.read():
            pass
        runs = [_profiled(reader) for _ in range(repeats)]
        shares[name] = _grouped(min(runs, key=lambda times: sum(times.values())))
    return shares


def _profiled(reader: Reader) -> dict[str, float]:
    """Operation to the time that it took itself."""
    with profile(activities=[ProfilerActivity.CPU]) as found:
        for _ in reader.read():
            pass
    return {event.key: event.self_cpu_time_total for event in found.key_averages()}


def _grouped(times: Mapping[str, float]) -> dict[str, float]:
    """Shares of the three groups from the time of each operation itself."""
    total = sum(times.values())
    attention = sum(time for name, time in times.items() if name.startswith(KERNEL))
    products = sum(time for name, time in times.items() if name in PRODUCTS)
    return {
        "attention": attention / total,
        "products": products / total,
        "other": (total - attention - products) / total,
    }
