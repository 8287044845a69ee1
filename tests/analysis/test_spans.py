"""The span: reachability equals the formula, and replacing tokens in a model agrees with both."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch
from torch import Tensor

from txlviz import memory_span
from txlviz.models import Memory, ModelConfig, TransformerXL

LENGTHS, MEMORIES = (4, 8, 12), (0, 3, 4, 8, 12, 20)


def formula(layer: int, L: int, M: int) -> np.ndarray:
    return np.arange(L) + (M + layer * L * math.ceil(M / L) if M else 0)


@pytest.mark.parametrize("M", MEMORIES)
@pytest.mark.parametrize("L", LENGTHS)
def test_reachability_equals_the_formula(L: int, M: int) -> None:
    for N in range(1, 7):
        span = memory_span(N, L, M)
        assert span.shape == (N, L)
        assert [row.tolist() for row in span] == [formula(n, L, M).tolist() for n in range(N)]


@pytest.mark.parametrize(("M", "tokens"), [(0, 0), (1, 193), (64, 256), (65, 449)])
def test_the_staircase(M: int, tokens: int) -> None:
    assert memory_span(n_layers=4, segment_length=64, memory_length=M)[3, 0] == tokens


def last_segment(model: TransformerXL, ids: Tensor, L: int) -> Tensor:
    memory: Memory = ()
    for piece in torch.split(ids, L, dim=1):
        out = model(piece, memory or None)
        memory = out.memory
    return out.hidden


@pytest.mark.parametrize("same_length", [False, True])
@pytest.mark.parametrize("M", MEMORIES)
@pytest.mark.parametrize("L", LENGTHS)
def test_replacing_a_token_agrees(L: int, M: int, same_length: bool) -> None:
    """The furthest token inside the span changes the output, the next one doesn't, bit for bit: same shapes and batch rows."""
    for N in range(1, 7):
        config = ModelConfig("xl", 50, N, 2, 8, 16, mem_len=M, same_length=same_length)
        model = TransformerXL(config).double().eval()
        generator = torch.Generator().manual_seed(N)
        with torch.inference_mode():
            for name, parameter in model.named_parameters():
                if not name.endswith("norm.weight"):
                    parameter.normal_(0.0, 0.1, generator=generator)
            spans = memory_span(N, L, M, same_length=same_length)[-1]
            total = (int(spans.max()) // L + 2) * L
            ids = torch.randint(50, (1, total), generator=generator).repeat(2 * L, 1)
            replaced = ids.clone()
            for p in range(L):
                for row, distance in ((p, spans[p]), (L + p, spans[p] + 1)):
                    place = total - L + p - int(distance)
                    replaced[row, place] = (replaced[row, place] + 7) % 50
            changed = last_segment(model, ids, L) != last_segment(model, replaced, L)
        for p in range(L):
            assert changed[p, p].any(), (N, p)
            assert not changed[L + p, p].any(), (N, p)


@pytest.mark.parametrize("sizes", [(0, 4, 4), (1, 0, 4), (1, 4, -1)])
def test_sizes_that_make_no_sense(sizes: tuple[int, int, int]) -> None:
    with pytest.raises(ValueError, match="no span"):
        memory_span(*sizes)
