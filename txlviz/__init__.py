"""txlviz: Transformer-XL, the real thing, made visible. The public API for notebooks."""

from txlviz.analysis.context import loss_by_context
from txlviz.analysis.evaluate import Evaluation, evaluate
from txlviz.analysis.guesses import Guess, next_tokens
from txlviz.analysis.recl import relative_effective_context
from txlviz.analysis.spans import memory_span
from txlviz.analysis.trace import LayerTrace, SegmentTrace, Trace, trace
from txlviz.checkpoint import Checkpoint, CheckpointError, load
from txlviz.generation import Sampling, generate

__all__ = [
    "Checkpoint",
    "CheckpointError",
    "Evaluation",
    "Guess",
    "LayerTrace",
    "Sampling",
    "SegmentTrace",
    "Trace",
    "evaluate",
    "generate",
    "load",
    "loss_by_context",
    "memory_span",
    "next_tokens",
    "relative_effective_context",
    "trace",
]
