"""The vanilla model with another attention in its blocks: the same weights, other pairs of query and key."""

from __future__ import annotations

import torch

from txlviz.models.attentions import SYSTEMS, Settings
from txlviz.models.block import Block
from txlviz.models.config import ModelConfig
from txlviz.models.vanilla import VanillaTransformer


def swapped(model: VanillaTransformer, name: str, settings: Settings, n: int) -> VanillaTransformer:
    """A model with the weights of ``model`` and the attention of the system, which reads n tokens at once; in evaluation mode.

    Linformer's projections, which ``model`` doesn't have, are those that the settings' seed draws.

    ValueError for the systems that aren't one call over a text: ``segments``, ``sliding`` and ``xl``.
    """
    if name in ("segments", "sliding", "xl") or name not in SYSTEMS:
        raise ValueError(f"{name!r} names no attention that reads a whole text in one call")
    config = model.config
    with torch.random.fork_rng(devices=[]):  # what a new layer draws is overwritten at once
        made = VanillaTransformer(config)
        for layer in range(config.n_layers):
            made.blocks[layer] = Block(config, SYSTEMS[name].attention(config, layer, settings, n))
    made.load_state_dict(model.state_dict(), strict=False)
    return made.eval()


def built(config: ModelConfig, name: str, settings: Settings, n: int) -> VanillaTransformer:
    """The same with fresh weights, those of a new vanilla model, in training mode."""
    return swapped(VanillaTransformer(config), name, settings, n).train()
