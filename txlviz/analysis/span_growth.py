"""How the memory span grows with the layers and with M: by reachability, and by replacing tokens in a model."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from txlviz.analysis.hidden import HiddenStates
from txlviz.analysis.spans import Span, memory_span
from txlviz.models import Memory, ModelConfig, TransformerXL
from txlviz.models.attention import visible_keys

VOCABULARY = 50
_LARGEST_BATCH = 32
"""Texts at once, in each of which another token is replaced."""
_PIECE, _MOST_WORK = 1e7, 4e7
"""Query-key pairs, over layers and texts, of one step (about 0.3 s on one core) and of one measurement."""
_DEEPEST = 14.5
"""Layers times log10 of the keys: beyond, float64 may round away what one key among K changes over N layers (tried)."""


def staircase(n_layers: int, segment_length: int, memory_lengths: Sequence[int]) -> Span:
    """(M,) the span of the top layer at the first position of a segment, for each of the memory lengths, memories full."""
    return np.array([_descent(n_layers, segment_length, M, 0)[-1] for M in memory_lengths], dtype=np.int64)


def span_ends(n_layers: int, segment_length: int, memory_length: int) -> Span:
    """(layer, 2) the span of each layer at the first and the last position of a segment, memories full."""
    L = segment_length
    return np.array([_descent(n_layers, L, memory_length, p) for p in (0, L - 1)], dtype=np.int64).T


def _descent(N: int, L: int, M: int, p: int) -> list[int]:
    """What ``memory_span(…)[:, p]`` gives, from the same masks, but down from one query: quick enough for many values of M.

    The places that k layers reach are those that the places reached by k - 1 layers may see.
    """
    visible = visible_keys(L, M + L).numpy()
    first = visible.argmax(axis=1) - M  # the first and the last key that each position sees, counted from its segment's start
    last = visible.shape[1] - 1 - visible[:, ::-1].argmax(axis=1) - M
    n_segments = -(-N * (M + L) // L) + 1  # enough that nothing reaches back to the start of the text
    query = (n_segments - 1) * L + p
    reached, spans = np.array([query]), []
    for _ in range(N):
        segment, position = np.divmod(reached, L)
        edges = np.zeros(n_segments * L + 1, dtype=np.int64)  # +1 where a run of seen keys begins, -1 after its end
        np.add.at(edges, segment * L + first[position], 1)
        np.add.at(edges, segment * L + last[position] + 1, -1)
        reached = np.flatnonzero(np.cumsum(edges[:-1]))
        spans.append(int(query - reached[0]))
    return spans


@dataclass(frozen=True)
class MeasuredSpan:
    """What replacing tokens found."""

    spans: Span
    """(layer, position) the distance of the furthest token whose replacement changed any bit of that layer's output."""
    agrees: bool
    """Whether that is what ``memory_span`` computes, in every layer and at every position."""
    tried: int
    """Tokens that were replaced, one after the other."""
    candidates: int
    """Tokens within reach, and L beyond it. Where fewer were tried, they are those at the edges, and a sample of the others."""


def can_be_measured(n_layers: int, segment_length: int, memory_length: int) -> bool:
    """Whether float64 can hold a change that crosses N layers, and enough texts can be run in two seconds or so."""
    deep = n_layers * math.log10(memory_length + segment_length) if memory_length else 0.0
    return deep <= _DEEPEST and _work(n_layers, segment_length, memory_length) * (2 * n_layers + 2) <= _MOST_WORK


def _work(N: int, L: int, M: int) -> float:
    """Query-key pairs of one text."""
    return float(N) * (_descent(N, L, M, 0)[-1] + 3 * L) * (M + L)


def measured_span(
    n_layers: int, segment_length: int, memory_length: int, *, progress: Callable[[float], None] | None = None
) -> MeasuredSpan:
    """Replaces tokens, one in each text, in a model with random weights, and looks which outputs of the last segment change.

    float64, weights from N(0, 0.1), but N(0, 1) for the attention's values and output, so that a change that has to cross many
    layers isn't rounded away. Both runs have the same shapes, batch rows and threads: a token outside the span changes no bit.

    Args:
        progress: is told the share that is done, before each segment: what it raises ends the work.

    Raises:
        ValueError: it can't be measured (``can_be_measured``).
    """
    N, L, M = n_layers, segment_length, memory_length
    if not can_be_measured(N, L, M):
        raise ValueError(f"the span of {N} layers, segments of {L} and a memory of {M} is too large to be measured")
    reach = np.array(_descent(N, L, M, 0))
    n_segments = -(-int(reach[-1]) // L) + 2
    start = (n_segments - 1) * L  # of the last segment, with a segment to spare beyond what it can reach
    distances, candidates = _distances(reach, L, most=int(_MOST_WORK / _work(N, L, M)))
    ids = torch.randint(VOCABULARY, (1, n_segments * L), generator=torch.Generator().manual_seed(N))
    states = HiddenStates(_random_model(N, M))
    done = 0

    def tell() -> None:
        if progress:
            progress(min(1.0, done / len(distances)))

    batch = max(1, min(_LARGEST_BATCH, len(distances), int(_PIECE / _work(N, L, M))))
    plain = _last_segment(states, ids.repeat(batch, 1), L, tell)
    measured = np.zeros((N, L), dtype=np.int64)
    for done in range(0, len(distances), batch):
        tried = np.resize(distances[done : done + batch], batch)  # the last texts may repeat: the shapes stay
        changed = ids.repeat(batch, 1)
        rows, places = torch.arange(batch), torch.from_numpy(start - tried)
        changed[rows, places] = (changed[rows, places] + 7) % VOCABULARY
        differs = (_last_segment(states, changed, L, tell) != plain).any(dim=-1).numpy()  # (layer, text, position)
        back = tried[None, :, None] + np.arange(L)
        measured = np.maximum(measured, np.where(differs, back, 0).max(axis=1))
    agrees = bool((measured == memory_span(N, L, M)).all())
    return MeasuredSpan(measured, agrees, len(distances), candidates)


def _distances(reach: Span, L: int, most: int) -> tuple[npt.NDArray[np.int64], int]:
    """Distances from the last segment's start to the tokens that are replaced, and how many there would be at most.

    ``reach`` is (layer,): the span at that start.
    """
    furthest = int(reach[-1]) + L
    if furthest + 1 <= most:
        return np.arange(furthest + 1), furthest + 1
    edges = np.concatenate([reach, reach + 1])
    sample = np.linspace(0, furthest, max(0, min(most, 2 * _LARGEST_BATCH) - len(edges))).round().astype(np.int64)
    return np.unique(np.concatenate([edges, sample])), furthest + 1


def _random_model(n_layers: int, mem_len: int) -> TransformerXL:
    """A small model in float64."""
    config = ModelConfig("xl", VOCABULARY, n_layers, n_heads=1, d_model=8, d_inner=16, mem_len=mem_len)
    model = TransformerXL(config).double().eval()
    generator = torch.Generator().manual_seed(0)
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            if not name.endswith("norm.weight"):
                parameter.normal_(0.0, 1.0 if name.endswith("w_o.weight") else 0.1, generator=generator)
            if name.endswith("w_kv.weight"):
                parameter.chunk(2)[1].mul_(10.0)  # W_v stands below W_k
    return model


@torch.inference_mode()
def _last_segment(states: HiddenStates, ids: Tensor, L: int, tell: Callable[[], None]) -> Tensor:
    """(N, B, L, D) the outputs of the layers for the last segment of ``ids`` (B, T)."""
    memory: Memory = ()
    for piece in torch.split(ids, L, dim=1):
        tell()
        rows, memory = states(piece, memory)
    return torch.stack(rows[1:])
