"""A run that takes a second: random tokens, a very small model, dropout on so that the random state matters."""

from __future__ import annotations

import dataclasses

import torch

from txlviz.training.memory import MemoryDraws
from txlviz.training.presets import Preset
from txlviz.training.run import TrainingData

PRESET = Preset(
    name="tiny",
    n_layers=2,
    n_heads=2,
    d_model=16,
    d_inner=32,
    segment_length=8,
    memory=MemoryDraws((0, 4, 12), (0.3, 0.3, 0.4), restart=0.2),
    steps=60,
    batch_size=4,
    learning_rate=1e-2,
    warmup_steps=5,
    weight_decay=0.01,
    clip_norm=1.0,
    dropout=0.1,
    attention_dropout=0.1,
    seed=3,
)

LANDSCAPE = dataclasses.replace(PRESET, memory=MemoryDraws((12,), (1.0,)), optimizer="adamw")
"""The landscape's recipe: the memory is always full, and one optimizer trains everything."""


def data() -> TrainingData:
    """About 25 steps an epoch."""
    ids = torch.randint(60, (4 * 8 * 26,), generator=torch.Generator().manual_seed(0))
    return TrainingData(train=ids, valid=ids[:100], newline=5, vocab_size=60)
