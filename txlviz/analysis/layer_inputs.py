"""What each layer reads: the hidden states below it, at every place of a text."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import torch

from txlviz.analysis.hidden import HiddenStates, read
from txlviz.analysis.lengths import with_lengths
from txlviz.analysis.reach import first_visible
from txlviz.checkpoint import Checkpoint
from txlviz.models import TransformerXL


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
    """Reads the text and keeps what each layer was given.

    Raises:
        ValueError: the model has no memory, a length doesn't fit it, or the text can't be encoded.
    """
    model, L, M = with_lengths(checkpoint.model, segment_length, memory_length)
    if not isinstance(model, TransformerXL):
        raise ValueError("the vanilla model keeps no layer's inputs")
    stream = torch.tensor([checkpoint.inputs(text)])
    below = read(HiddenStates(model), stream, L, M)[:-1]  # N times (1, T, D): the top layer's output is read by no layer
    sees = first_visible(L, M, stream.shape[1], same_length=model.config.same_length)
    return LayerInputs(torch.cat(below).numpy(), sees)
