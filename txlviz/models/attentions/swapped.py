"""The vanilla model with another attention in its blocks: the same weights, other pairs of query and key."""

from __future__ import annotations

from collections.abc import Callable

import torch

from txlviz.models.attention import MultiHeadAttention
from txlviz.models.attentions import SYSTEMS, Settings
from txlviz.models.block import Block
from txlviz.models.config import ModelConfig
from txlviz.models.vanilla import VanillaTransformer

Make = Callable[[ModelConfig, int], MultiHeadAttention]
"""The attention of a layer (from 0)."""


def swapped(model: VanillaTransformer, name: str, settings: Settings, n: int) -> VanillaTransformer:
    """A model with the weights of ``model`` and the attention of the system, which reads n tokens at once; in evaluation mode.

    Linformer's projections, which ``model`` doesn't have, are those that the settings' seed draws.

    ValueError for the systems that aren't one call over a text: ``segments``, ``sliding`` and ``xl``.
    """
    if name in ("segments", "sliding", "xl") or name not in SYSTEMS:
        raise ValueError(f"{name!r} names no attention that reads a whole text in one call")
    return with_attention(model, lambda config, layer: SYSTEMS[name].attention(config, layer, settings, n))


def with_attention(model: VanillaTransformer, make: Make) -> VanillaTransformer:
    """A model with the weights of ``model`` and another attention; weights of that alone stay as they are made."""
    config = model.config
    with torch.random.fork_rng(devices=[]):  # what a new layer draws is overwritten at once
        made = VanillaTransformer(config)
        for layer in range(config.n_layers):
            made.blocks[layer] = Block(config, make(config, layer))
    made.load_state_dict(model.state_dict(), strict=False)
    return made.eval()
