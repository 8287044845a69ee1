"""Named training runs. Both models of a preset share everything that could favour one: steps, batch, optimizer, seed."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass

from txlviz.models import ModelConfig
from txlviz.models.config import Kind
from txlviz.training.memory import MemoryDraws
from txlviz.training.optimizers import OptimizerName


@dataclass(frozen=True)
class Preset:
    """All choices of a training run."""

    name: str
    n_layers: int
    n_heads: int
    d_model: int
    d_inner: int
    segment_length: int
    """(L) tokens a segment."""
    memory: MemoryDraws
    """What the Transformer-XL's memory is in each training step."""
    steps: int
    """Optimizer steps: the cosine ends here."""
    batch_size: int
    """(B) contiguous streams."""
    learning_rate: float
    """Of AdamW, at the top, after the warm-up."""
    warmup_steps: int
    weight_decay: float
    clip_norm: float
    """Largest norm of the whole gradient."""
    dropout: float
    attention_dropout: float
    seed: int
    vocab_size: int = 4096
    optimizer: OptimizerName = "muon"
    matrix_learning_rate: float = 1e-2
    """Of Muon, where that trains the blocks' matrices; at the top, too."""

    def config(self, kind: Kind, vocab_size: int) -> ModelConfig:
        """The model of this run. ``vocab_size`` is what the tokenizer really got."""
        return ModelConfig(
            kind=kind,
            vocab_size=vocab_size,
            n_layers=self.n_layers,
            n_heads=self.n_heads,
            d_model=self.d_model,
            d_inner=self.d_inner,
            segment_length=self.segment_length,
            mem_len=self.memory.longest if kind == "xl" else 0,
            dropout=self.dropout,
            attention_dropout=self.attention_dropout,
        )


MEMORY = MemoryDraws(
    lengths=(0, 64, 128, 256, 512, 1024, 2048), shares=(0.22, 0.16, 0.28, 0.20, 0.08, 0.04, 0.02), restart=1 / 16
)
"""A text begins in two streams of 32 a step, and more than one step in five reads no memory at all."""


def _wikitext2(name: str, n_layers: int) -> Preset:
    return Preset(
        name=name,
        n_layers=n_layers,
        n_heads=4,
        d_model=128,
        d_inner=512,
        segment_length=64,
        memory=MEMORY,
        steps=7_225,  # 5 epochs of 1,445 steps
        batch_size=32,
        learning_rate=4e-3,
        warmup_steps=300,
        weight_decay=0.05,
        clip_norm=0.5,
        dropout=0.0,  # about a million weights see 14.8 million tokens: they underfit, and dropout would only slow them down
        attention_dropout=0.0,
        seed=1,
    )


PRESETS = {
    "wikitext2-2l": _wikitext2("wikitext2-2l", n_layers=2),
    "wikitext2-4l": _wikitext2("wikitext2-4l", n_layers=4),
    # Almost six million weights would learn two million words by heart: dropout.
    "wikitext2-6l": dataclasses.replace(
        _wikitext2("wikitext2-6l", n_layers=6), n_heads=8, d_model=256, d_inner=1024, dropout=0.1, attention_dropout=0.1
    ),
}
