"""One layer's attention, by the kind of its positions."""

from __future__ import annotations

from txlviz.checkpoint import Checkpoint
from txlviz.models import TransformerXL, VanillaTransformer
from txlviz.models.attention import AbsoluteAttention, RelativeAttention


def relative(checkpoint: Checkpoint, layer: int) -> tuple[TransformerXL, RelativeAttention]:
    """The Transformer-XL, and the attention of its layer (from 0). ValueError for another model, or where there is none."""
    model = checkpoint.model
    if not isinstance(model, TransformerXL):
        raise ValueError("the vanilla model has no relative positions: a Transformer-XL is needed")
    found = model.blocks[_checked(checkpoint, layer)].attention
    assert isinstance(found, RelativeAttention)
    return model, found


def absolute(checkpoint: Checkpoint, layer: int) -> tuple[VanillaTransformer, AbsoluteAttention]:
    """The vanilla model, and the attention of its layer (from 0). ValueError for another model, or where there is none."""
    model = checkpoint.model
    if not isinstance(model, VanillaTransformer):
        raise ValueError("the Transformer-XL has no absolute positions: a vanilla model is needed")
    found = model.blocks[_checked(checkpoint, layer)].attention
    assert isinstance(found, AbsoluteAttention)
    return model, found


def _checked(checkpoint: Checkpoint, layer: int) -> int:
    last = checkpoint.config.n_layers - 1
    if not 0 <= layer <= last:
        raise ValueError(f"there is no layer {layer}: the model has layers 0 to {last}")
    return layer
