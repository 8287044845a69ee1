"""What each attention system's module weighs on one text, with the weights of the shipped models.

All but the Transformer-XL run with the vanilla model's weights, which were trained for causal attention in segments: they show
the module at work, not a model trained for it. Beyond its trained length the vanilla model's positions are untrained, too.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt
import torch

from txlviz.analysis.attention_of import absolute
from txlviz.analysis.landscape import system
from txlviz.analysis.sliding_window import layer_input
from txlviz.analysis.trace import Trace, trace
from txlviz.checkpoint import Checkpoint
from txlviz.models.attention import sdpa_weights
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
    model, _ = absolute(vanilla, layer)
    n, L = len(vanilla.inputs(text)), settings.segment_length
    if n == 1 or L < 1:
        raise ValueError("the text is empty: there is no token to look at" if n == 1 else f"no windows of {L}: at least 1")
    if name == "xl":
        return _stitched(trace(xl, text, L, settings.memory_length), layer)
    if name == "segments":
        return _stitched(trace(vanilla, text, L), layer)
    if name == "sliding":
        return _windows(vanilla, text, L, layer)
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
    model, _ = absolute(vanilla, layer)
    n = len(vanilla.inputs(text))
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


@torch.inference_mode()
def _windows(vanilla: Checkpoint, text: str, L: int, layer: int) -> Weights:
    """The last row of every window's weights, the only one that is read; the first window grows to L in one pass."""
    model, attention = absolute(vanilla, layer)
    ids = torch.tensor(vanilla.inputs(text))
    n, first = len(ids), min(len(ids), L)

    h = layer_input(model, ids[None, :first], layer)
    q, k, _ = attention.project(h, h)
    out = torch.zeros(model.config.n_heads, n, n)
    out[:, :first, :first] = sdpa_weights(q, k, None, causal=True, scale=attention.scale)[0]
    for ends in torch.split(torch.arange(L, n), _WINDOWS_AT_ONCE):
        places = ends[:, None] + torch.arange(1 - L, 1)  # (windows, L)
        h = layer_input(model, ids[places], layer)
        q, k, _ = attention.project(h[:, -1:], h)  # the last query sees all keys of its window
        rows = sdpa_weights(q, k, None, causal=False, scale=attention.scale)
        out[:, ends[:, None], places] = rows[:, :, 0].transpose(0, 1)
    return np.asarray(out.numpy())
