"""The bill: counts against the definition, against PyTorch's own counter, and memory against what is known to live."""

from __future__ import annotations

import pytest
import torch
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.utils.flop_counter import FlopCounterMode

from tests.analysis.small import checkpoint
from txlviz.analysis.attention_cost import attention_cost
from txlviz.analysis.attention_timing import WAYS, LiveBytes, attention_point
from txlviz.models.positions import distances, sinusoids

XL, VANILLA = checkpoint("xl"), checkpoint("vanilla")
CONFIG = VANILLA.config


@pytest.mark.parametrize("n", [1, 5, 16, 61])
@pytest.mark.parametrize(("L", "M"), [(None, None), (16, None), (7, None), (16, 0), (7, 10), (16, 40), (1, 3)])
def test_entries_are_the_cells_of_the_matrices(n: int, L: int | None, M: int | None) -> None:
    sizes, start = [], 0
    while start < n:
        queries = min(L or n, n - start)
        sizes.append(queries * (queries + min(M or 0, start)))
        start += queries
    cost = attention_cost(CONFIG, n, L, M)
    assert cost.entries == sum(sizes)
    assert cost.largest == max(sizes)
    assert cost.score_bytes == 4 * CONFIG.n_heads * max(sizes)


def test_the_forms_of_the_bill() -> None:
    n, L, M = 64 * 50, 64, 128
    assert attention_cost(CONFIG, n).entries == n * n
    assert attention_cost(CONFIG, n, L).entries == n * L
    assert attention_cost(CONFIG, n, L, M).entries == n * (M + L) - 64 * (128 + 64), "the first two segments find less"
    assert attention_cost(CONFIG, 2 * n).attention_flops == 4 * attention_cost(CONFIG, n).attention_flops
    assert attention_cost(CONFIG, 2 * n).projection_flops == 2 * attention_cost(CONFIG, n).projection_flops


@pytest.mark.parametrize(("L", "M"), [(24, 0), (24, 10), (24, 60)])
def test_flops_of_one_call_are_those_that_pytorch_counts(L: int, M: int) -> None:
    h, memory = torch.randn(1, L, CONFIG.d_model), torch.randn(1, M, CONFIG.d_model)
    plain = VANILLA.model.get_submodule("blocks.0.attention")
    with torch.no_grad(), sdpa_kernel(SDPBackend.MATH), FlopCounterMode(display=False) as counter:
        plain(h)
    assert counter.get_total_flops() == attention_cost(CONFIG, L).flops
    relative = XL.model.get_submodule("blocks.0.attention")
    R = sinusoids(distances(M + L), CONFIG.d_model)
    u, v = (XL.model.get_parameter(name).detach()[0] for name in "uv")
    with torch.no_grad(), sdpa_kernel(SDPBackend.MATH), FlopCounterMode(display=False) as counter:
        relative(h, memory, R, u, v)
    D, width, K = CONFIG.d_model, CONFIG.n_heads * CONFIG.d_head, M + L
    assert counter.get_total_flops() == 2 * D * width * (2 * L + 3 * K) + 3 * 2 * L * K * width


def test_a_full_segment_costs_what_pytorch_counts_for_it() -> None:
    L, M = 24, 48
    one = attention_cost(CONFIG, 4 * L, L, M).flops - attention_cost(CONFIG, 3 * L, L, M).flops
    h, memory = torch.randn(1, L, CONFIG.d_model), torch.randn(1, M, CONFIG.d_model)
    u, v = (XL.model.get_parameter(name).detach()[0] for name in "uv")
    with torch.no_grad(), sdpa_kernel(SDPBackend.MATH), FlopCounterMode(display=False) as counter:
        XL.model.get_submodule("blocks.0.attention")(h, memory, sinusoids(distances(M + L), CONFIG.d_model), u, v)
    assert counter.get_total_flops() == one


@pytest.mark.parametrize(("n", "L", "M"), [(0, 4, 0), (4, 0, 0), (4, 4, -1)])
def test_lengths_that_make_no_sense(n: int, L: int, M: int) -> None:
    with pytest.raises(ValueError, match="no cost"):
        attention_cost(CONFIG, n, L, M)


def test_live_bytes_of_a_known_program() -> None:
    given = torch.zeros(10_000)
    with LiveBytes() as counted:
        a = torch.zeros(1000)
        b = a * 2
        assert (counted.live, counted.peak) == (8000, 8000)
        del b
        view = a[:10]
        given[:5].add_(1)
        assert (counted.live, counted.peak) == (4000, 8000), "views and what was there before don't count"
        del a
        assert counted.live == 4000, "the view keeps it"
        del view
        assert counted.live == 0
        torch.zeros(500)
    assert (counted.live, counted.peak) == (0, 8000)


def test_measured_memory_is_that_of_the_matrices() -> None:
    L, M = 16, 32
    points = {(way, n): attention_point(XL, VANILLA, way, n, L, M, repeats=1) for way in WAYS for n in (256, 512)}
    for (way, n), point in points.items():
        assert (point.way, point.n_tokens) == (way, n)
        assert point.seconds > 0
    for n in (256, 512):  # scores and weights side by side
        score_bytes = attention_cost(CONFIG, n).score_bytes
        assert 2 * score_bytes <= points["whole", n].peak_bytes <= 3.2 * score_bytes
    growth = {way: points[way, 512].peak_bytes / points[way, 256].peak_bytes for way in WAYS}
    assert growth["whole"] > 3.5
    assert growth["fused"] == pytest.approx(2, abs=0.2)
    assert growth["segments"] == pytest.approx(1, abs=0.05)
    assert growth["xl"] == pytest.approx(1, abs=0.05)
