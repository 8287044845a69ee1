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
    every = window_flops(vanilla.config, A, causal=False, scored=A)
    assert counted(lambda: vanilla.model.logits(vanilla.model(ids).hidden)) == every


@pytest.mark.parametrize("A", [1, 2, 7])
def test_causal_leaves_out_the_hidden_pairs_and_nothing_else(A: int) -> None:
    config = checkpoint("vanilla").config
    hidden = sum(j > i for i in range(A) for j in range(A))
    pair = config.n_heads * config.d_head * 2 * 2
    left_out = window_flops(config, A, causal=False) - window_flops(config, A)
    assert left_out == (config.n_layers - 1) * hidden * pair, "the last query sees all keys"
    left_out = window_flops(config, A, causal=False, scored=A) - window_flops(config, A, scored=A)
    assert left_out == config.n_layers * hidden * pair


@pytest.mark.parametrize("which", ["wikitext2-2l", "wikitext2-4l"])
@pytest.mark.parametrize(("A", "scored"), [(1, 1), (5, 1), (5, 2), (7, 7)])
def test_nothing_is_counted_that_isnt_read(which: str, A: int, scored: int) -> None:
    """One number of one matrix product after the other, from the scored places down through what each of them reads."""
    config = shipped(which)[1].config
    D, width, inner = config.d_model, config.n_heads * config.d_head, config.d_inner
    wanted = set(range(A - scored, A))
    multiplied = len(wanted) * config.vocab_size * D
    for _ in range(config.n_layers):
        read = {key for query in wanted for key in range(query + 1)}
        for query in wanted:
            multiplied += 2 * D * width + 2 * D * inner  # query and output, feed-forward
            multiplied += sum(2 * width for key in read if key <= query)  # score and weighted value, all heads
        multiplied += len(read) * 2 * D * width  # keys and values
        wanted = read
    assert window_flops(config, A, scored=scored) == 2 * multiplied


@pytest.mark.parametrize(("preset", "least"), [("wikitext2-2l", 700), ("wikitext2-4l", 1000)])
def test_the_advantage_at_3800(preset: str, least: int) -> None:
    xl, vanilla = shipped(preset)
    assert window_flops(vanilla.config, 3800) / cached_flops(xl.config, 3800) > least


def test_lengths_below_1_are_refused() -> None:
    config = checkpoint("xl").config
    for call in (lambda: window_flops(config, 0), lambda: cached_flops(config, 0), lambda: cached_flops(config, 1, 0)):
        with pytest.raises(ValueError, match="at least 1"):
            call()
    with pytest.raises(ValueError, match="can't be scored"):
        window_flops(config, 3, scored=4)
