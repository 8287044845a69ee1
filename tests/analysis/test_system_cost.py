"""The formulas of cost: against PyTorch's own counter over the real modules, and against the bytes that live there."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
import torch
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.utils.flop_counter import FlopCounterMode

from tests.analysis.small import checkpoint
from txlviz.analysis.attention_cost import attention_cost
from txlviz.analysis.attention_timing import read_layer, timed
from txlviz.analysis.system_cost import position_cost, system_cost
from txlviz.analysis.system_timing import position_layer, position_point, rows, system_point
from txlviz.models.attentions import SYSTEMS, Settings
from txlviz.models.encodings import ENCODINGS

XL, VANILLA = checkpoint("xl"), checkpoint("vanilla")
CONFIG = VANILLA.config
S = Settings(segment_length=8, memory_length=12, window=5, n_global=2, block=4, n_random_blocks=2, rank=6, seed=3)


@pytest.fixture(autouse=True, scope="module")
def _without_gradients() -> Iterator[None]:
    """The counter follows gradients where a parameter wants one, and fails at the views of u and v."""
    weights = list(XL.model.parameters())
    for weight in weights:
        weight.requires_grad_(False)
    yield
    for weight in weights:
        weight.requires_grad_(True)


def counted(do: Callable[[], object]) -> int:
    with torch.no_grad(), sdpa_kernel(SDPBackend.MATH), FlopCounterMode(display=False) as counter:
        do()
    return int(counter.get_total_flops())


@pytest.mark.parametrize("n", [1, 5, 8, 29, 48])
@pytest.mark.parametrize("name", ["longformer-causal", "longformer", "bigbird", "linformer"])
def test_flops_are_those_that_pytorch_counts_in_the_module(name: str, n: int) -> None:
    module, h = SYSTEMS[name].attention(CONFIG, 0, S, n), rows(CONFIG, n)
    assert counted(lambda: module(h)) == system_cost(CONFIG, name, n, S).flops


@pytest.mark.parametrize("n", [5, 8, 29])
def test_and_in_those_that_read_in_pieces(n: int) -> None:
    h, plain = rows(CONFIG, n), VANILLA.model.get_submodule("blocks.0.attention")
    assert counted(lambda: read_layer(XL, VANILLA, "whole", h, 0, 0)) == system_cost(CONFIG, "full", n, S).flops
    assert counted(lambda: read_layer(XL, VANILLA, "segments", h, 8, 0)) == system_cost(CONFIG, "segments", n, S).flops
    assert counted(lambda: read_layer(XL, VANILLA, "xl", h, 8, 12)) == system_cost(CONFIG, "xl", n, S).flops
    windows = [h[:, max(0, end - 8) : end] for end in range(min(n, 8), n + 1)]
    assert counted(lambda: [plain(window) for window in windows]) == system_cost(CONFIG, "sliding", n, S).flops


@pytest.mark.parametrize("name", SYSTEMS)
def test_only_full_attention_grows_with_the_square(name: str) -> None:
    short, long = (system_cost(CONFIG, name, n, S) for n in (2048, 4096))
    growth = long.attention_flops / short.attention_flops
    assert growth == pytest.approx(4 if name == "full" else 2, rel=0.02)
    assert long.peak_bytes / short.peak_bytes < (4 if name == "full" else 2.05)


@pytest.mark.parametrize("name", SYSTEMS)
def test_peak_bytes_are_about_those_that_live_in_the_module(name: str) -> None:
    wanted = Settings(segment_length=64, memory_length=64, window=32, block=16, rank=32)
    for n in (256, 512):
        point = system_point(XL, VANILLA, name, n, wanted, repeats=1)
        assert (point.name, point.n_tokens, point.fused) == (name, n, False)
        assert point.seconds > 0
        assert point.peak_bytes == pytest.approx(system_cost(CONFIG, name, n, wanted).peak_bytes, rel=0.15)


def test_the_fused_kernel_keeps_less() -> None:
    for name in ("full", "longformer-causal", "longformer"):
        written, fused = (system_point(XL, VANILLA, name, 512, Settings(), fused=kernel, repeats=1) for kernel in (False, True))
        assert fused.peak_bytes < 0.8 * written.peak_bytes


@pytest.mark.parametrize("n", [3, 8, 40])
@pytest.mark.parametrize("name", ENCODINGS)
def test_the_flops_that_a_position_system_adds(name: str, n: int) -> None:
    h, module = rows(CONFIG, n), position_layer(CONFIG, name, n)
    cost, plain = position_cost(CONFIG, name, n), attention_cost(CONFIG, n).flops
    assert counted(lambda: module(h)) == plain + cost.flops == cost.layer_flops
    assert cost.parameters == sum(p.numel() for p in module.position.parameters())


@pytest.mark.parametrize("name", ENCODINGS)
def test_what_a_layer_with_a_position_system_keeps(name: str) -> None:
    for n in (256, 512):
        point = position_point(CONFIG, name, n, repeats=1)
        assert (point.name, point.n_tokens) == (name, n)
        assert point.peak_bytes == pytest.approx(position_cost(CONFIG, name, n).peak_bytes, rel=0.15)


def test_a_layer_for_timing_leaves_the_random_state() -> None:
    state = torch.random.get_rng_state()
    position_layer(CONFIG, "xl", 8)
    assert torch.equal(torch.random.get_rng_state(), state)


def test_a_slow_run_is_not_repeated() -> None:
    runs = []
    timed(lambda: runs.append(1), repeats=9, at_least=4, slow=0.0)
    assert len(runs) == 2, "one for the bytes, one for the clock"
    runs.clear()
    timed(lambda: runs.append(1), repeats=9, at_least=4)
    assert len(runs) == 10


@pytest.mark.parametrize(
    "call",
    [
        lambda: system_cost(CONFIG, "performer", 8, S),
        lambda: system_cost(CONFIG, "longformer", 0, S),
        lambda: system_cost(CONFIG, "full", 0, S),
        lambda: position_cost(CONFIG, "t5", 8),
        lambda: position_cost(CONFIG, "xl", 0),
        lambda: position_layer(CONFIG, "t5", 8),
    ],
)
def test_what_makes_no_sense_is_refused(call) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(ValueError, match=r"there is no|no cost"):
        call()
