"""The runs of the landscape: the 2-layer preset with each position system, on one small budget, so that they can be compared.

Each takes half an epoch: 722 steps of 32 x 64 tokens, with the preset's batches and seed, and a schedule of the same shape: a
warm-up (of 150 steps; a tenth of the preset's 300 would be too short for post-LN), then a cosine to the end. AdamW trains
everything, and a recurrent run reads 128 rows in every step: no random draw stands between two rows of the table.

With the half loss, windows of 64 tokens move by 32 and the loss is taken on the second half only, so that every scored token
has at least 32 before it (the extended context of the original code; the fair setting for absolute positions, Dai et al. 2019,
table 6). Each step reads the 32 inputs of the step before once more, and gradients flow through them. The number of steps, and
so the computation, is that of the other runs; half as many targets are learned from.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from dataclasses import dataclass

from txlviz.models import SystemConfig
from txlviz.models.system_config import ENCODINGS
from txlviz.training.memory import MemoryDraws
from txlviz.training.presets import PRESETS, Preset

LANDSCAPE = dataclasses.replace(
    PRESETS["wikitext2-2l"],
    name="landscape",
    steps=722,
    warmup_steps=150,
    memory=MemoryDraws((128,), (1.0,)),
    optimizer="adamw",
    learning_rate=2.5e-3,
)
"""Half an epoch of 1,445 steps."""


@dataclass(frozen=True)
class Variant:
    """What one run chooses."""

    name: str
    encoding: str
    attention: str = "causal"
    recurrent: bool = False
    """Whether it has a memory, of the preset's length in training."""
    half: bool = False
    """Whether the loss is taken on the second half of each window only."""
    without: tuple[str, ...] = ()
    """Terms of the Transformer-XL's score that the model is built without."""

    def config(self, preset: Preset, vocab_size: int) -> SystemConfig:
        """The model of this run. ``vocab_size`` is what the tokenizer really got."""
        return SystemConfig(
            kind="system",
            vocab_size=vocab_size,
            n_layers=preset.n_layers,
            n_heads=preset.n_heads,
            d_model=preset.d_model,
            d_inner=preset.d_inner,
            segment_length=preset.segment_length,
            mem_len=preset.memory.longest if self.recurrent else 0,
            dropout=preset.dropout,
            attention_dropout=preset.attention_dropout,
            encoding=self.encoding,
            attention=self.attention,
            without=self.without,
            recurrent=self.recurrent,
        )

    def stride(self, preset: Preset) -> int:
        """Tokens by which the window moves from step to step, and targets of each window that are learned from."""
        return preset.segment_length // 2 if self.half else preset.segment_length


def _all() -> Iterator[Variant]:
    for encoding in ENCODINGS:
        yield Variant(f"{encoding}-full", encoding)
        yield Variant(f"{encoding}-half", encoding, half=True)
    yield Variant("xl-recurrent-full", "xl", recurrent=True)
    yield Variant("xl-recurrent-half", "xl", recurrent=True, half=True)
    yield Variant("shaw-recurrent-full", "shaw", recurrent=True)
    yield Variant("longformer-full", "xl", attention="longformer")  # our causal form, not the paper's language model
    for term in "abcd":
        yield Variant(f"xl-recurrent-without-{term}", "xl", recurrent=True, without=(term,))


VARIANTS: dict[str, Variant] = {variant.name: variant for variant in _all()}
"""By name. A sliding window is no run of its own: it is a way to score a model that was trained in segments."""

SHIPPED = (*(f"{encoding}-full" for encoding in ENCODINGS), "longformer-full", "xl-recurrent-without-b")
"""The runs whose weights stand in ``checkpoints/landscape``, rounded to float16."""
