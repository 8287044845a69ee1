"""Time and memory of the real modules of every attention and position system over n tokens, on this machine."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn.attention import SDPBackend, sdpa_kernel

from txlviz.analysis.attention_timing import Way, read_layer, timed
from txlviz.checkpoint import Checkpoint
from txlviz.models.attentions import SYSTEMS, Settings
from txlviz.models.config import ModelConfig
from txlviz.models.encodings import ENCODINGS
from txlviz.models.system import SystemAttention
from txlviz.models.system_config import SystemConfig

_WAYS: dict[str, Way] = {"full": "whole", "segments": "segments", "xl": "xl"}
SLOW = 1.0
"""Seconds after which a run isn't repeated."""


@dataclass(frozen=True)
class SystemPoint:
    """One layer's attention over one text."""

    name: str
    n_tokens: int
    fused: bool
    """By the kernel that never holds the scores, where there is one; else they are written out."""
    seconds: float
    """The fastest of a few runs; of one where it took a second or more."""
    peak_bytes: int
    """Most bytes of tensors that the layer made and that lived at the same time."""


@torch.no_grad()
def system_point(
    xl: Checkpoint, vanilla: Checkpoint, name: str, n: int, settings: Settings, *, fused: bool = False, repeats: int = 5
) -> SystemPoint:
    """Runs the first layer's attention of the system over ``n`` random rows, with the weights of the two models.

    ``sliding`` reads one window after the other, n - L + 1 of them. Linformer's projections are of the length n, untrained.
    """
    h = rows(vanilla.config, n)
    L, M = settings.segment_length, settings.memory_length
    if name in _WAYS:
        way = _WAYS[name]
        return _point(name, n, fused, repeats, lambda: read_layer(xl, vanilla, way, h, L, M))
    plain = vanilla.model.get_submodule("blocks.0.attention")
    if name == "sliding":

        def windows() -> None:
            for end in range(min(n, L), n + 1):
                plain(h[:, max(0, end - L) : end])

        return _point(name, n, fused, repeats, windows)
    module = SYSTEMS[name].attention(vanilla.config, 0, settings, n).eval()
    module.load_state_dict(plain.state_dict(), strict=False)
    return _point(name, n, fused, repeats, lambda: module(h))


@torch.no_grad()
def position_point(config: ModelConfig, name: str, n: int, *, fused: bool = False, repeats: int = 5) -> SystemPoint:
    """Runs one layer of full causal attention with the position system ``name`` over ``n`` random rows, weights random.

    What is added at the input is added here; ``learned`` gets a table of n rows.
    """
    module, h = position_layer(config, name, n), rows(config, n)

    def read() -> None:
        added = module.position.at_input(n)
        module(h if added is None else h + added.to(h.dtype))

    return _point(name, n, fused, repeats, read)


def _point(name: str, n: int, fused: bool, repeats: int, read: Callable[[], object]) -> SystemPoint:
    with nullcontext() if fused else sdpa_kernel(SDPBackend.MATH):
        return SystemPoint(name, n, fused, *timed(read, repeats=repeats, at_least=3, slow=SLOW))


def position_layer(config: ModelConfig, name: str, n: int) -> SystemAttention:
    """The first layer's attention with a position system, small random weights, in evaluation mode."""
    if name not in ENCODINGS:
        raise ValueError(f"there is no position system {name!r}")
    sizes = ("vocab_size", "n_layers", "n_heads", "d_model", "d_inner", "d_head")
    chosen = SystemConfig(kind="system", encoding=name, segment_length=n, **{size: getattr(config, size) for size in sizes})
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        module = SystemAttention(chosen, 0)
        for parameter in module.parameters():
            nn.init.normal_(parameter, std=0.02)
    return module.eval()


def rows(config: ModelConfig, n: int) -> Tensor:
    """(1, n, D) N(0, 1)."""
    return torch.randn(1, n, config.d_model, generator=torch.Generator().manual_seed(0))
