"""Which inputs feed each prediction, as a model really reads a text: asked of the code that reads, not drawn by hand.

A stand-in takes the model's place in ``stream_losses``. Where the model would pass on numbers, it passes on places: each row
holds the earliest input that it depends on, found through the masks of ``visible_keys`` and the memory rule of the model.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from txlviz.analysis.evaluate import stream_losses
from txlviz.models import Memory, TransformerXL
from txlviz.models.attention import Recorder, visible_keys
from txlviz.models.config import ModelConfig
from txlviz.models.language_model import LanguageModel, Output
from txlviz.models.vanilla import VanillaTransformer

Places = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Seen:
    """What feeds the prediction made at each place of a text: all inputs between the earliest one and the place."""

    own: Places
    """(place,) earliest input in the same segment or window."""
    direct: Places
    """(place,) earliest input whose row a layer looks at: own segment and memory."""
    reach: Places
    """(place,) earliest input that can matter after all layers."""
    pairs: int
    """Query-key pairs that one layer computed in all, hidden ones left out."""

    @property
    def context(self) -> Places:
        """(place,) inputs that one look has: from the earliest row to the place itself."""
        return np.arange(len(self.direct)) - self.direct + 1

    @property
    def pairs_per_token(self) -> float:
        """Query-key pairs of a layer for each scored token."""
        return self.pairs / len(self.direct)


def seen(
    n_inputs: int,
    segment_length: int,
    memory_length: int = 0,
    *,
    n_layers: int = 1,
    stride: int | None = None,
    recurrent: bool = False,
) -> Seen:
    """Reads a text of ``n_inputs`` inputs the way that ``evaluate`` does, and notes what is seen.

    Args:
        segment_length: L, of a segment or a window.
        memory_length: M of a recurrent model.
        n_layers: N; more layers reach further through the memory.
        stride: without recurrence: move a window of L by this many; None: segments.
        recurrent: the Transformer-XL rather than the vanilla model.

    Raises:
        ValueError: a setting makes no sense.
    """
    if n_inputs < 1:
        raise ValueError(f"{n_inputs} inputs: there must be at least 1")
    sizes = {"vocab_size": 1, "n_layers": n_layers, "n_heads": 1, "d_model": 1, "d_inner": 1}
    kind = "xl" if recurrent else "vanilla"
    config = ModelConfig.from_dict({**sizes, "kind": kind, "segment_length": segment_length})
    standin = _Recurrent(config) if recurrent else _Windowed(config)
    standin.prepare(n_inputs)
    # Each token is named by its place, so that the stand-in knows where a window lies.
    stream_losses(standin, torch.arange(n_inputs + 1), segment_length, memory_length or None, stride=stride)
    own, direct, reach = standin.found.numpy()
    return Seen(own, direct, reach, int(standin.pairs))


class _StandIn(LanguageModel):
    """Answers like a model; its hidden states are (B, L, 3) places: own, direct, reach."""

    found: Tensor
    pairs: Tensor

    def prepare(self, n_inputs: int) -> None:
        """Makes room for the answers. Tensors, so that a copy of the model (``with_mem_len``) writes into the same ones."""
        self.found, self.pairs = torch.full((3, n_inputs), -1), torch.zeros((), dtype=torch.long)

    def look(self, ids: Tensor, memory: Sequence[Tensor]) -> Tensor:
        """The layers' masks, one after the other, over (B, L) places and (B, M', 1) remembered ones of each layer."""
        places = ids[..., None]
        rows = [places]
        for n in range(self.config.n_layers):
            keys = torch.cat([memory[n], rows[-1]], dim=1) if memory else rows[-1]
            rows.append(_earliest(keys, visible_keys(ids.shape[1], keys.shape[1])))
        self.layer_inputs = rows[:-1]
        self.pairs += ids.shape[0] * visible_keys(ids.shape[1], ids.shape[1] + (memory[0].shape[1] if memory else 0)).sum()
        own = _earliest(places, visible_keys(ids.shape[1], ids.shape[1]))
        return torch.cat([own, rows[1], rows[-1]], dim=-1)

    def token_losses(self, hidden: Tensor, targets: Tensor) -> Tensor:
        """Takes down what fed each prediction that is scored; there is no loss."""
        self.found[:, targets.flatten() - 1] = hidden.flatten(0, -2).T
        return torch.zeros(targets.shape)


class _Windowed(_StandIn, VanillaTransformer):
    def forward(
        self,
        ids: Tensor,
        memory: Sequence[Tensor] | None = None,
        targets: Tensor | None = None,
        recorder: Recorder | None = None,
    ) -> Output:
        return Output(self.look(ids, ()), (), None)


class _Recurrent(_StandIn, TransformerXL):
    def forward(
        self,
        ids: Tensor,
        memory: Sequence[Tensor] | None = None,
        targets: Tensor | None = None,
        recorder: Recorder | None = None,
        *,
        stop_gradient: bool = True,
        own_rows: Tensor | None = None,
    ) -> Output:
        old: Memory = tuple(memory or (ids.new_empty(ids.shape[0], 0, 1) for _ in self.blocks))
        hidden = self.look(ids, old)
        return Output(hidden, tuple(self._updated(*pair) for pair in zip(old, self.layer_inputs, strict=True)), None)


def _earliest(keys: Tensor, visible: Tensor) -> Tensor:
    """(B, L, 1) the smallest of the (B, K, 1) ``keys`` that each query sees by the mask (L, K)."""
    beyond = torch.iinfo(keys.dtype).max
    return torch.where(visible, keys.transpose(1, 2), beyond).amin(dim=-1, keepdim=True)
