"""FLOPs: what is counted from the shapes is what PyTorch's own counter sees the models do."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import torch
from torch.utils.flop_counter import FlopCounterMode, sdpa_flop_count

import txlviz
from tests.analysis.small import checkpoint
from txlviz.analysis.eval_speed import readers
from txlviz.analysis.flops import cached_flops, window_flops
from txlviz.models.config import Kind

ROOT = Path(__file__).parents[2]
KINDS: tuple[Kind, ...] = ("xl", "vanilla")
KERNEL = torch.ops.aten._scaled_dot_product_flash_attention_for_cpu


def kernel_flops(query: Any, key: Any, value: Any, *_: Any, **__: Any) -> int:
    """PyTorch has the formula, but doesn't use it for the processor's kernel. It counts all pairs."""
    return int(sdpa_flop_count(query, key, value))


def counted(do: Callable[[], object]) -> int:
    counter = FlopCounterMode(display=False, custom_mapping={KERNEL: kernel_flops})
    with torch.inference_mode(), counter:
        do()
    assert KERNEL in counter.get_flop_counts()["Global"]
    return int(counter.get_total_flops())


@pytest.fixture(autouse=True)
def _without_gradients() -> Iterator[None]:
    """The counter follows gradients where a parameter wants one, even in inference mode, and fails there."""
    weights = [weight for kind in KINDS for weight in checkpoint(kind).model.parameters()]
    for weight in weights:
        weight.requires_grad_(False)
    yield
    for weight in weights:
        weight.requires_grad_(True)


def shipped(preset: str) -> tuple[txlviz.Checkpoint, txlviz.Checkpoint]:
    xl, vanilla = (txlviz.load(ROOT / f"checkpoints/{preset}/{kind}") for kind in KINDS)
    for one in (xl, vanilla):
        one.model.requires_grad_(False)
    return xl, vanilla


@pytest.mark.parametrize("A", [1, 65, 200])
@pytest.mark.parametrize("which", ["small", "wikitext2-2l", "wikitext2-4l"])
def test_the_count_is_that_of_pytorch(which: str, A: int) -> None:
    xl, vanilla = (checkpoint("xl"), checkpoint("vanilla")) if which == "small" else shipped(which)
    L = 32
    both = readers(xl, vanilla, A, L)
    assert counted(lambda: list(both["xl"].read())) == L * cached_flops(xl.config, A, L)
    dense = window_flops(vanilla.config, A, causal=False)
    assert counted(lambda: list(both["vanilla"].read())) == dense
    ids = torch.zeros(1, A, dtype=torch.long)
    assert counted(lambda: vanilla.model.logits(vanilla.model(ids).hidden[0, -1])) == dense


@pytest.mark.parametrize("A", [1, 2, 7])
def test_causal_leaves_out_the_hidden_pairs_and_nothing_else(A: int) -> None:
    config = checkpoint("vanilla").config
    hidden = sum(j > i for i in range(A) for j in range(A))
    left_out = window_flops(config, A, causal=False) - window_flops(config, A)
    assert left_out == config.n_layers * hidden * config.n_heads * config.d_head * 2 * 2


def test_the_advantage_at_3800_on_the_2_layer_models_is_more_than_1000() -> None:
    xl, vanilla = shipped("wikitext2-2l")
    assert window_flops(vanilla.config, 3800) / cached_flops(xl.config, 3800) > 1000


def test_lengths_below_1_are_refused() -> None:
    config = checkpoint("xl").config
    for call in (lambda: window_flops(config, 0), lambda: cached_flops(config, 0), lambda: cached_flops(config, 1, 0)):
        with pytest.raises(ValueError, match="at least 1"):
            call()
