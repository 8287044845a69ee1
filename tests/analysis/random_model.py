"""Checkpoints with random weights in float64, N(0, 0.1): what can depend on a token differs in its last bits at least."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch

from tests.analysis.small import TEXT, tokenizer
from txlviz import models
from txlviz.checkpoint import Checkpoint
from txlviz.models import ModelConfig
from txlviz.models.config import Kind


def checkpoint(kind: Kind = "xl", n_layers: int = 3, **changes: Any) -> Checkpoint:
    """Two heads, width 8."""
    config = ModelConfig(kind, tokenizer().vocab_size, n_layers, 2, 8, 16, **changes)
    model = models.build(config).double().eval()
    generator = torch.Generator().manual_seed(n_layers)
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            if not name.endswith("norm.weight"):
                parameter.normal_(0.0, 0.1, generator=generator)
    return Checkpoint(Path("random") / kind, model, tokenizer(), {"preset": "random"})


def text_of(places: int) -> str:
    """A text that makes exactly so many places, the newline before it among them."""
    ids = tokenizer().encode(TEXT * 12)[: places - 1]
    text = tokenizer().decode(ids)
    assert len(tokenizer().encode(text)) == places - 1
    return text
