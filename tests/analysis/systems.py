"""Small checkpoints with a chosen position system, large random weights, and the tokenizer of ``tests.analysis.small``."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import torch

from tests.analysis.small import tokenizer
from tests.models.small import randomised
from txlviz.checkpoint import Checkpoint
from txlviz.models import SystemConfig, SystemTransformer


@cache
def checkpoint(encoding: str, *, recurrent: bool = False, **changes: Any) -> Checkpoint:
    """Two layers, two heads, segments of 16; memory of 16 with recurrence."""
    sizes: dict[str, Any] = {"n_layers": 2, "n_heads": 2, "d_model": 16, "d_inner": 24, "segment_length": 16, "clip": 4}
    sizes["mem_len"] = 16 if recurrent else 0
    config = SystemConfig(
        "system",
        vocab_size=tokenizer().vocab_size,
        encoding=encoding,
        recurrent=recurrent,
        **sizes | changes,
    )
    torch.manual_seed(0)
    return Checkpoint(Path("small") / encoding, randomised(SystemTransformer(config)), tokenizer(), {"preset": "small"})
