"""What a model expects after a text."""

from __future__ import annotations

from dataclasses import dataclass

import torch

from txlviz.analysis.lengths import with_lengths
from txlviz.checkpoint import Checkpoint
from txlviz.data import segments
from txlviz.models import Memory


@dataclass(frozen=True)
class Guess:
    """One possible next token."""

    token: str
    """As people read it."""
    probability: float


@torch.inference_mode()
def next_tokens(
    checkpoint: Checkpoint, text: str, segment_length: int | None = None, memory_length: int | None = None, *, top: int = 10
) -> list[Guess]:
    """The ``top`` most probable tokens after ``text``, most probable first. An empty text is a text: it follows a newline.

    The vanilla model sees the segment that the text ends in, which may be a single token. ValueError where the text can't be
    encoded or a length doesn't fit the model.
    """
    model, length, _ = with_lengths(checkpoint.model, segment_length, memory_length)
    stream = torch.tensor([checkpoint.inputs(text)])
    memory: Memory = ()
    for piece in segments(stream, length):
        out = model(piece, memory or None)
        memory = out.memory
    best = model.logits(out.hidden[0, -1]).softmax(dim=-1).topk(min(top, checkpoint.config.vocab_size))
    return [
        Guess(checkpoint.tokenizer.show([i])[0], p) for i, p in zip(best.indices.tolist(), best.values.tolist(), strict=True)
    ]
