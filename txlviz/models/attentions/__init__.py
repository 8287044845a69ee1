"""The attention systems that write-ups compare: each gives the same block (``txlviz.models.block``) a different attention."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor

from txlviz.models.attention import AbsoluteAttention, MultiHeadAttention, RelativeAttention
from txlviz.models.attentions import bigbird, full, longformer, segments, sliding
from txlviz.models.attentions.bigbird import BigBirdAttention
from txlviz.models.attentions.linformer import LinformerAttention
from txlviz.models.attentions.longformer import LongformerAttention
from txlviz.models.config import ModelConfig


@dataclass(frozen=True)
class Settings:
    """The sizes of all systems; each takes those that concern it."""

    segment_length: int = 64
    """(L) of segments, of the Transformer-XL's, and of the sliding window."""
    memory_length: int = 64
    """(M) of the Transformer-XL."""
    window: int = 32
    """Longformer: tokens to each side."""
    n_global: int = 1
    """Longformer: global tokens, the first of the text."""
    block: int = 16
    """BigBird: tokens of a block."""
    window_blocks: int = 3
    n_global_blocks: int = 1
    n_random_blocks: int = 1
    rank: int = 32
    """(k) Linformer: rows that keys and values are projected to."""
    longest: int = 0
    """(n) Linformer: tokens that its projections are made for; 0: those of the text at hand."""
    seed: int = 0
    """Of BigBird's random blocks and of Linformer's untrained projections; each layer draws its own."""


@dataclass(frozen=True)
class AttentionSystem:
    """One system, in two functions that its own module defines."""

    name: str
    causal: bool
    """Whether no output depends on a later token, so that it can be a language model's."""
    takes: tuple[str, ...]
    """The fields of ``Settings`` that it depends on."""
    visible: Callable[..., Tensor]
    """``visible(n, settings, layer=0, place=None)``: (n, n) bool, which keys each query of the layer sees in one look.
    ``place`` matters where each prediction is a pass of its own (``sliding``): its pass's pairs; None: each pass's last row."""
    attention: Callable[[ModelConfig, int, Settings, int], MultiHeadAttention]
    """``attention(config, layer, settings, n)``: the layer's module, which reads n tokens; ``segments`` and ``sliding`` a piece
    a call, ``xl`` (``RelativeAttention``) a piece and its memory, all others the whole text in one call."""


def _plain(config: ModelConfig, layer: int, s: Settings, n: int) -> MultiHeadAttention:
    return AbsoluteAttention(config, layer)


def _longformer(causal: bool) -> AttentionSystem:
    return AttentionSystem(
        "longformer-causal" if causal else "longformer",
        causal,
        ("window", "n_global"),
        lambda n, s, layer=0, place=None: longformer.visible(n, n, window=s.window, n_global=s.n_global, causal=causal),
        lambda config, layer, s, n: LongformerAttention(config, layer, window=s.window, n_global=s.n_global, causal=causal),
    )


_BLOCKS = ("block", "window_blocks", "n_global_blocks", "n_random_blocks")


def _bigbird_sizes(s: Settings, layer: int) -> dict[str, int]:
    return {name: getattr(s, name) for name in _BLOCKS} | {"seed": s.seed + layer}


def _linformer(config: ModelConfig, layer: int, s: Settings, n: int) -> MultiHeadAttention:
    return LinformerAttention(config, layer, rank=s.rank, longest=s.longest or n, seed=s.seed + layer)


_ALL = (
    AttentionSystem("full", True, (), lambda n, s, layer=0, place=None: full.visible(n), _plain),
    AttentionSystem(
        "segments",
        True,
        ("segment_length",),
        lambda n, s, layer=0, place=None: segments.visible(n, segment_length=s.segment_length),
        _plain,
    ),
    AttentionSystem(
        "sliding",
        True,
        ("segment_length",),
        lambda n, s, layer=0, place=None: sliding.visible(n, window=s.segment_length, place=place),
        _plain,
    ),
    AttentionSystem(
        "xl",
        True,
        ("segment_length", "memory_length"),
        lambda n, s, layer=0, place=None: segments.visible(n, segment_length=s.segment_length, memory_length=s.memory_length),
        lambda config, layer, s, n: RelativeAttention(config, layer),
    ),
    _longformer(causal=True),
    _longformer(causal=False),
    AttentionSystem(
        "bigbird",
        False,
        (*_BLOCKS, "seed"),
        lambda n, s, layer=0, place=None: bigbird.visible(n, **_bigbird_sizes(s, layer)),
        lambda config, layer, s, n: BigBirdAttention(config, layer, **_bigbird_sizes(s, layer)),
    ),
    AttentionSystem(
        "linformer",
        False,
        ("rank", "longest", "seed"),
        lambda n, s, layer=0, place=None: torch.ones(n, n, dtype=torch.bool),
        _linformer,
    ),
)
SYSTEMS: dict[str, AttentionSystem] = {system.name: system for system in _ALL}
"""By name: full, segments, sliding, xl, longformer-causal, longformer, bigbird, linformer."""
