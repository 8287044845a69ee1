"""The reference cases in ``tests/fixtures/transfo_xl``, read into our model. Their README says what they hold."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import load_file
from torch import Tensor

from txlviz.models import Memory, ModelConfig, TransformerXL

FOLDER = Path(__file__).parents[1] / "fixtures" / "transfo_xl"
CASES = ("plain", "plain_short_last", "zero_memory")
SEGMENTS = (0, 1, 2)


@dataclass(frozen=True)
class Reference:
    """One case: our model with the peer's weights, what the peer computed, and the memory that it started from."""

    model: TransformerXL
    expected: dict[str, Tensor]
    initial_memory: Memory | None

    def layers(self, segment: int, name: str) -> list[Tensor]:
        """What the peer computed in each layer: ``name`` is "attention" or "memory"."""
        return [self.expected[f"s{segment}.{name}.{n}"] for n in range(self.model.config.n_layers)]


def load(case: str) -> Reference:
    """Reads one case."""
    peer: dict[str, Any] = json.loads((FOLDER / case / "config.json").read_text(encoding="utf-8"))
    config = ModelConfig(
        "xl",
        vocab_size=peer["vocab_size"],
        n_layers=peer["n_layer"],
        n_heads=peer["n_head"],
        d_model=peer["d_model"],
        d_inner=peer["d_inner"],
        d_head=peer["d_head"],
        mem_len=peer["mem_len"],
        clamp_len=peer["clamp_len"],
        same_length=peer["same_length"],
    )
    model = TransformerXL(config).eval()
    model.load_state_dict(our_names(load_file(FOLDER / case / "model.safetensors"), config))
    expected = load_file(FOLDER / case / "expected.safetensors")
    zeros = torch.zeros(expected["s0.ids"].shape[0], config.mem_len, config.d_model)
    return Reference(model, expected, (zeros,) * config.n_layers if peer["initial_memory"] == "zeros" else None)


def our_names(peer: dict[str, Tensor], config: ModelConfig) -> dict[str, Tensor]:
    """The peer's state dict under our names."""
    width = config.n_heads * config.d_head
    layers = [f"transformer.layers.{n}." for n in range(config.n_layers)]
    ours = {
        "embedding.weight": peer["transformer.word_emb.emb_layers.0.weight"],
        "softmax_bias": peer["crit.out_layers.0.bias"],
        "u": torch.stack([peer[f"{layer}dec_attn.r_w_bias"] for layer in layers]),
        "v": torch.stack([peer[f"{layer}dec_attn.r_r_bias"] for layer in layers]),
    }
    for n, layer in enumerate(layers):
        qkv = peer[f"{layer}dec_attn.qkv_net.weight"]
        ours[f"blocks.{n}.attention.w_q.weight"] = qkv[:width]
        ours[f"blocks.{n}.attention.w_kv.weight"] = qkv[width:]
        ours[f"blocks.{n}.attention.w_r.weight"] = peer[f"{layer}dec_attn.r_net.weight"]
        ours[f"blocks.{n}.attention.w_o.weight"] = peer[f"{layer}dec_attn.o_net.weight"]
        for kind in ("weight", "bias"):
            ours[f"blocks.{n}.attention_norm.{kind}"] = peer[f"{layer}dec_attn.layer_norm.{kind}"]
            ours[f"blocks.{n}.feed_forward_norm.{kind}"] = peer[f"{layer}pos_ff.layer_norm.{kind}"]
            for linear in (0, 3):
                ours[f"blocks.{n}.feed_forward.{linear}.{kind}"] = peer[f"{layer}pos_ff.CoreNet.{linear}.{kind}"]
    return ours
