"""What each layer reads: the hidden states below it, at every place of a text."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import torch

from txlviz.analysis.lengths import with_lengths
from txlviz.checkpoint import Checkpoint
from txlviz.data import segments
from txlviz.models import Memory, TransformerXL


@dataclass(frozen=True)
class LayerInputs:
    """The inputs of a Transformer-XL's layers over a text that was read in segments of L with a memory of M."""

    rows: npt.NDArray[np.float32]
    """(N, place, D): h^{n-1} of layer n (from 0), at each place of the inputs; place 0 is the newline before the text."""
    first_keys: npt.NDArray[np.int64]
    """(place,) the first place that the query there can see."""


@torch.inference_mode()
def layer_inputs(
    checkpoint: Checkpoint, text: str, segment_length: int | None = None, memory_length: int | None = None
) -> LayerInputs:
    """Reads the text and keeps what each layer was given: the rows that the model itself keeps for its memory.

    Raises:
        ValueError: the model has no memory, a length doesn't fit it, or the text can't be encoded.
    """
    model, L, M = with_lengths(checkpoint.model, segment_length, memory_length)
    if not isinstance(model, TransformerXL):
        raise ValueError("the vanilla model keeps no layer's inputs")
    if model.config.same_length:
        raise ValueError("with same_length the rows that are kept are the mask's as well: they can't be kept longer here")
    keeper = model.with_mem_len(M + L)  # keeps the segment's own rows too; what is read is cut to M rows below
    stream = torch.tensor([[checkpoint.tokenizer.newline, *checkpoint.encode(text)]])
    memory: Memory = ()
    rows: list[torch.Tensor] = []
    first_keys: list[int] = []
    for piece in segments(stream, L):
        start, length = len(first_keys), piece.shape[1]
        first_keys += [start - (memory[0].shape[1] if memory else 0)] * length
        kept = keeper(piece, memory or None).memory
        rows.append(torch.stack([layer[0, -length:] for layer in kept]))
        memory = tuple(layer[:, max(0, layer.shape[1] - M) :] for layer in kept)
    return LayerInputs(torch.cat(rows, dim=1).numpy(), np.array(first_keys))
