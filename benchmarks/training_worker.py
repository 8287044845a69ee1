"""One side of ``training_speed.py``: builds its model, then takes as many training steps as each line of its input says."""

from __future__ import annotations

import json
import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path

import torch
from torch import Tensor, nn

BATCH, LENGTH, MEMORY, VOCABULARY = 32, 64, 64, 4096
Step = Callable[[Tensor, Tensor], Tensor]


def txlviz_step(dropout: float) -> tuple[nn.Module, Step]:
    """Our model and its loss on one segment."""
    sys.path.insert(0, str(Path(__file__).parents[1]))
    import dataclasses

    from txlviz.models import TransformerXL
    from txlviz.training.memory import MemoryDraws
    from txlviz.training.presets import PRESETS

    preset = dataclasses.replace(PRESETS["wikitext2-4l"], memory=MemoryDraws((MEMORY,), (1.0,)), dropout=dropout)
    model = TransformerXL(preset.config("xl", VOCABULARY))
    memory = None

    def loss(inputs: Tensor, targets: Tensor) -> Tensor:
        nonlocal memory
        out = model(inputs, memory, targets)
        memory = out.memory
        assert out.loss is not None
        return out.loss

    return model, loss


def transformers_step(dropout: float) -> tuple[nn.Module, Step]:
    """The peer and its loss on one segment. It shifts the labels itself."""
    warnings.simplefilter("ignore")
    from transformers import TransfoXLConfig, TransfoXLLMHeadModel

    config = TransfoXLConfig(
        vocab_size=VOCABULARY, cutoffs=[], div_val=1, d_model=128, d_embed=128, n_head=4, d_head=32, d_inner=512, n_layer=4,
        mem_len=MEMORY, clamp_len=-1, same_length=False, dropout=dropout, dropatt=0.0,
    )  # fmt: skip
    model = TransfoXLLMHeadModel(config)
    memory = None

    def loss(inputs: Tensor, targets: Tensor) -> Tensor:
        nonlocal memory
        out = model(input_ids=inputs, labels=inputs, mems=memory)
        memory = out.mems
        return out.loss

    return model, loss


def main() -> None:
    """Says what it is, then answers each line with seconds."""
    who, threads, dropout = sys.argv[1], int(sys.argv[2]), float(sys.argv[3])
    torch.set_num_threads(threads)
    torch.manual_seed(0)
    model, loss = (txlviz_step if who == "txlviz" else transformers_step)(dropout)
    model.train()
    optimizer = torch.optim.AdamW(model.parameters(), 1e-3, fused=True)
    ids = torch.randint(VOCABULARY, (BATCH, LENGTH + 1))
    parameters = sum(p.numel() for p in model.parameters())
    print(json.dumps({"model": who, "torch": str(torch.__version__), "parameters": parameters}), flush=True)
    for line in sys.stdin:
        start = time.perf_counter()
        for _ in range(int(line)):
            optimizer.zero_grad()
            loss(ids[:, :-1], ids[:, 1:]).backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
        print(time.perf_counter() - start, flush=True)


if __name__ == "__main__":
    main()
