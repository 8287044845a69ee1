"""What each attention system's module weighs on one text, with the weights of the shipped models.

All but the Transformer-XL run with the vanilla model's weights, which were trained for causal attention in segments: they show
the module at work, not a model trained for it. Beyond its trained length the vanilla model's positions are untrained, too.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from txlviz.analysis.landscape import system
from txlviz.analysis.trace import Trace, trace
from txlviz.checkpoint import Checkpoint
from txlviz.models import Term, VanillaTransformer
from txlviz.models.attentions import Settings
from txlviz.models.attentions.linformer import LinformerAttention
from txlviz.models.attentions.swapped import swapped

Weights = npt.NDArray[np.float32]
_WINDOWS_AT_ONCE = 32


def weights(xl: Checkpoint, vanilla: Checkpoint, name: str, text: str, settings: Settings, layer: int) -> Weights:
    """(H, T, T) the attention weights of the layer (from 0), all heads, over the T inputs of ``text`` (a newline stands first).

    Row i, the query; column j, the key; 0 where the key is hidden. For ``sliding`` row i is the last row of the window that
    ends at i. For ``linformer`` it is weights times F, the share of each token's value in the output, which may be negative.

    Raises:
        ValueError: no such system or layer, an empty text, or sizes that make no sense.
    """
    system(name)
    _check_layer(vanilla, layer)
    n, L = len(vanilla.inputs(text)), settings.segment_length
    if n == 1 or L < 1:
        raise ValueError("the text is empty: there is no token to look at" if n == 1 else f"no windows of {L}: at least 1")
    if name == "xl":
        return _stitched(trace(xl, text, L, settings.memory_length), layer)
    if name == "segments":
        return _stitched(trace(vanilla, text, L), layer)
    if name == "sliding":
        return _windows(vanilla, text, L, layer)
    model = vanilla.model
    assert isinstance(model, VanillaTransformer)
    other = swapped(model, name, settings, n)
    found = trace(replace(vanilla, model=other), text, n).segments[0].layers[layer].weights
    if name != "linformer":
        return found
    attention = other.get_submodule(f"blocks.{layer}.attention")
    assert isinstance(attention, LinformerAttention)
    with torch.inference_mode():
        return np.asarray(attention.by_token(torch.from_numpy(found), n).numpy())


def projected_weights(vanilla: Checkpoint, text: str, settings: Settings, layer: int) -> Weights:
    """(H, T, k) what Linformer's queries weigh: rows that each mix the whole text, by projections that aren't trained."""
    _check_layer(vanilla, layer)
    model, n = vanilla.model, len(vanilla.inputs(text))
    assert isinstance(model, VanillaTransformer)
    return trace(replace(vanilla, model=swapped(model, "linformer", settings, n)), text, n).segments[0].layers[layer].weights


def _stitched(run: Trace, layer: int) -> Weights:
    """The segments' weights at the places of the whole text."""
    n = len(run.inputs)
    out: Weights | None = None
    for segment in run.segments:
        part = segment.layers[layer].weights
        out = np.zeros((len(part), n, n), dtype=np.float32) if out is None else out
        end = segment.start + part.shape[1]
        out[:, segment.start : end, segment.first_key : end] = part
    assert out is not None
    return out


class _OneLayer:
    """A recorder that keeps one layer's weights (B, H, L, L)."""

    def __init__(self, layer: int) -> None:
        self.layer, self.kept = layer, torch.empty(0)

    def attention_weights(
        self, layer: int, terms: dict[Term, Tensor] | None, scores: Tensor, ordinary: Tensor, visible: Tensor
    ) -> Tensor:
        if layer == self.layer:
            self.kept = ordinary
        return ordinary


@torch.inference_mode()
def _windows(vanilla: Checkpoint, text: str, L: int, layer: int) -> Weights:
    """The last row of every window's weights; the first window grows to L, and its rows are those of one pass."""
    ids, recorder = torch.tensor(vanilla.inputs(text)), _OneLayer(layer)
    n = len(ids)
    vanilla.model(ids[None, :L], recorder=recorder)
    out = torch.zeros(vanilla.config.n_heads, n, n)
    out[:, : min(n, L), : min(n, L)] = recorder.kept[0]
    for ends in torch.split(torch.arange(L, n), _WINDOWS_AT_ONCE):
        places = ends[:, None] + torch.arange(1 - L, 1)  # (windows, L)
        vanilla.model(ids[places], recorder=recorder)
        out[:, ends[:, None], places] = recorder.kept[:, :, -1].transpose(0, 1)
    return np.asarray(out.numpy())


def _check_layer(checkpoint: Checkpoint, layer: int) -> None:
    if not 0 <= layer < checkpoint.config.n_layers:
        raise ValueError(f"there is no layer {layer}: the model has layers 0 to {checkpoint.config.n_layers - 1}")
