"""Time and memory of a real attention layer over n tokens, on this machine."""

from __future__ import annotations

import math
import time
import weakref
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Any, Literal

import torch
from torch import Tensor
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

from txlviz.checkpoint import Checkpoint
from txlviz.models.attention import AbsoluteAttention, RelativeAttention
from txlviz.models.positions import distances, sinusoids
from txlviz.models.transformer_xl import TransformerXL

Way = Literal["whole", "fused", "segments", "xl"]
WAYS: tuple[Way, ...] = ("whole", "fused", "segments", "xl")
_ENOUGH_SECONDS, _REPEATS = 0.1, 5


@dataclass(frozen=True)
class Point:
    """One layer's attention over one text."""

    way: Way
    n_tokens: int
    seconds: float
    """The fastest of a few runs: what else runs on a machine can only add."""
    peak_bytes: int
    """Most bytes of tensors that the layer made and that lived at the same time."""


class LiveBytes(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """Counts the bytes of tensors made inside it, and the most that lived at once.

    It sees every operation of PyTorch, but not into one: what a kernel holds for itself doesn't count. Tensors that were there
    before (weights, inputs) and views of them don't count either.
    """

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.live = self.peak = 0
        self._known: weakref.WeakKeyDictionary[Any, None] = weakref.WeakKeyDictionary()

    def __torch_dispatch__(self, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Runs the operation, and takes note of storages not seen before."""
        kwargs = kwargs or {}
        for tensor in _tensors((args, kwargs)):
            self._known.setdefault(tensor.untyped_storage())
        result = function(*args, **kwargs)
        for tensor in _tensors(result):
            storage = tensor.untyped_storage()
            if storage not in self._known:
                self._known[storage] = None
                self.live += storage.nbytes()
                weakref.finalize(storage, self._freed, storage.nbytes())
        self.peak = max(self.peak, self.live)
        return result

    def _freed(self, size: int) -> None:
        self.live -= size


def _tensors(values: Any) -> Iterator[Tensor]:
    return (value for value in tree_leaves(values) if isinstance(value, Tensor))


@torch.no_grad()  # not inference_mode: there the kernel that writes the matrix out is one operation, and shows nothing of it
def attention_point(
    xl: Checkpoint,
    vanilla: Checkpoint,
    way: Way,
    n_tokens: int,
    segment_length: int,
    memory_length: int,
    *,
    repeats: int = _REPEATS,
    at_least: int = 3,
) -> Point:
    """Runs the first layer's attention over ``n_tokens`` random rows, without the rest of the layer.

    Args:
        way: ``whole`` one pass over all rows with the score matrix written out, as in the formula; ``fused`` the same by the
            kernel that never holds the matrix; ``segments`` of L; ``xl`` segments of L with a memory of M rows. The last two
            write the matrix out as well.
        repeats: runs at most; the fastest counts.
        at_least: runs in any case; beyond them it ends when a tenth of a second is spent.
    """
    h = torch.randn(1, n_tokens, vanilla.config.d_model, generator=torch.Generator().manual_seed(0))
    kernel = nullcontext() if way == "fused" else sdpa_kernel(SDPBackend.MATH)
    with kernel:
        seconds, peak = timed(
            lambda: read_layer(xl, vanilla, way, h, segment_length, memory_length), repeats=repeats, at_least=at_least
        )
    return Point(way, n_tokens, seconds, peak)


def timed(read: Callable[[], object], *, repeats: int, at_least: int, slow: float = math.inf) -> tuple[float, int]:
    """Seconds of the ``fastest`` run, and the bytes of a run before, which isn't timed."""
    with LiveBytes() as counted:
        read()
    return fastest(read, repeats=repeats, at_least=at_least, slow=slow), counted.peak


def fastest(read: Callable[[], object], *, repeats: int, at_least: int, slow: float = math.inf) -> float:
    """Seconds by the clock of the fastest run: what else runs on a machine can only add.

    It ends after ``repeats`` runs, or when ``at_least`` or more runs took a tenth of a second, or they took ``slow`` seconds.
    """
    seconds: list[float] = []
    while len(seconds) < repeats and (sum(seconds) < _ENOUGH_SECONDS or len(seconds) < min(at_least, repeats)):
        start = time.perf_counter()
        read()
        seconds.append(time.perf_counter() - start)
        if sum(seconds) >= slow:
            break
    return min(seconds)


def read_layer(xl: Checkpoint, vanilla: Checkpoint, way: Way, h: Tensor, L: int, M: int) -> None:
    """The layer's outputs are dropped at once: of a text of any length only what a layer needs at a time is held."""
    plain = vanilla.model.get_submodule("blocks.0.attention")
    assert isinstance(plain, AbsoluteAttention)
    if way in ("whole", "fused"):
        plain(h)
        return
    relative = xl.model.get_submodule("blocks.0.attention")
    assert isinstance(relative, RelativeAttention)
    assert isinstance(xl.model, TransformerXL)
    for start in range(0, h.shape[1], L):
        piece = h[:, start : start + L]
        if way == "segments":
            plain(piece)
            continue
        memory = h[:, max(0, start - M) : start]
        R = sinusoids(distances(memory.shape[1] + piece.shape[1], xl.config.clamp_len), xl.config.d_model)
        relative(piece, memory, R, xl.model.u[0], xl.model.v[0])
