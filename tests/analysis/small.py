"""A small checkpoint with large random weights and a tokenizer of its own, so that analysis can be tested without training."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import torch

from tests.models.small import randomised
from txlviz import models
from txlviz.checkpoint import Checkpoint
from txlviz.data import Tokenizer
from txlviz.models import ModelConfig
from txlviz.models.config import Kind

TEXT = "The river runs past the old mill, and the miller's daughter reads by the river until the evening comes.\n" * 3


@cache
def tokenizer() -> Tokenizer:
    """About 300 tokens."""
    return Tokenizer.train([TEXT * 5], vocab_size=320)


@cache
def checkpoint(kind: Kind, n_layers: int = 3) -> Checkpoint:
    """Segments of 16, memory of 16, three heads."""
    config = ModelConfig(
        kind=kind,
        vocab_size=tokenizer().vocab_size,
        n_layers=n_layers,
        n_heads=3,
        d_model=24,
        d_inner=32,
        segment_length=16,
        mem_len=16 if kind == "xl" else 0,
    )
    torch.manual_seed(0)
    return Checkpoint(Path("small") / kind, randomised(models.build(config)), tokenizer(), {"preset": "small"})
