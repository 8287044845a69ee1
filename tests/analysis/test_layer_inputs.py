"""What each layer reads, against what its block is called with."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from tests.analysis import small
from txlviz.analysis.layer_inputs import layer_inputs
from txlviz.data import segments


@pytest.mark.parametrize(("L", "M"), [(16, 16), (8, 5), (8, 20), (7, 0), (300, 4)])
def test_the_rows_are_the_blocks_inputs(L, M):
    xl = small.checkpoint("xl")
    model = xl.model.with_mem_len(M)
    seen = [[] for _ in model.blocks]
    hooks = [
        block.register_forward_pre_hook(lambda _, args, rows=rows: rows.append((args[0][0], args[1].shape[1])))
        for block, rows in zip(model.blocks, seen, strict=True)
    ]
    stream = torch.tensor([[xl.tokenizer.newline, *xl.encode(small.TEXT)]])
    memory = None
    try:
        with torch.inference_mode():
            for piece in segments(stream, L):
                memory = model(piece, memory).memory
    finally:
        for hook in hooks:
            hook.remove()
    found = layer_inputs(xl, small.TEXT, L, M)
    for rows, expected in zip(found.rows, seen, strict=True):
        np.testing.assert_array_equal(rows, torch.cat([h for h, _ in expected]).numpy())
    starts = np.cumsum([0, *(len(h) for h, _ in seen[0])])
    first_keys = [start - kept for start, (h, kept) in zip(starts, seen[0], strict=False) for _ in h]
    assert found.first_keys.tolist() == first_keys


def test_the_model_itself_is_left_as_it_was():
    xl = small.checkpoint("xl")
    layer_inputs(xl, small.TEXT, 8, 3)
    assert xl.model.mem_len == 16


def test_the_vanilla_model_is_refused():
    with pytest.raises(ValueError, match="vanilla"):
        layer_inputs(small.checkpoint("vanilla"), small.TEXT)
