"""Traces of models of chosen parts: their losses, their weights, and which of them split into terms."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch

from tests.analysis import small, systems
from txlviz import trace
from txlviz.analysis.evaluate import stream_losses
from txlviz.models.system_config import ENCODINGS

TEXT = small.TEXT[:120]
SPLIT = {"xl": (0, 1), "sinusoids": (0,), "learned": (0,)}


@pytest.mark.parametrize("recurrent", [False, True])
@pytest.mark.parametrize("encoding", ENCODINGS)
def test_a_trace_is_the_ordinary_pass(encoding: str, recurrent: bool) -> None:
    source = systems.checkpoint(encoding, recurrent=recurrent)
    found = trace(source, TEXT)
    assert found.memory_length == (16 if recurrent else 0)
    ids = torch.tensor(source.inputs(TEXT))
    np.testing.assert_allclose(found.losses, stream_losses(source.model, ids, 16).numpy(), atol=1e-4)
    assert found.residual <= 1e-5
    for segment in found.segments:
        for n, layer in enumerate(segment.layers):
            np.testing.assert_allclose(layer.weights.sum(-1), 1, atol=1e-5)
            assert not layer.weights[:, ~layer.visible].any()
            splits = n in SPLIT.get(encoding, ()) and (encoding == "xl" or segment.memory_rows == 0)
            assert (layer.terms is not None) == splits
            if layer.terms is not None:
                total = sum(layer.terms[term].astype(float) for term in "abcd") / math.sqrt(found.d_head)
                np.testing.assert_allclose(layer.scores[:, layer.visible], total[:, layer.visible], atol=1e-4)


def test_a_trace_of_the_longformer_shows_its_pattern() -> None:
    source = systems.checkpoint("xl", attention="longformer", window=3, n_global=2)
    layer = trace(source, TEXT).segments[0].layers[1]
    i, j = np.arange(16)[:, None], np.arange(16)
    assert np.array_equal(layer.visible, (j <= i) & ((i - j <= 3) | (j < 2)))
    assert (layer.weights[:, layer.visible] > 0).all()


def test_a_model_built_without_a_term_has_none() -> None:
    source = systems.checkpoint("xl", without=("b",))
    found = trace(source, TEXT)
    assert all(not layer.terms["b"].any() for s in found.segments for layer in s.layers if layer.terms is not None)
    np.testing.assert_allclose(trace(source, TEXT, without={"b"}).losses, found.losses, atol=1e-6)
    assert np.abs(trace(source, TEXT, without={"d"}).losses - found.losses).max() > 1e-3


@pytest.mark.parametrize("encoding", ["none", "shaw", "rotary", "alibi"])
def test_no_term_can_be_left_out_where_there_are_none(encoding: str) -> None:
    with pytest.raises(ValueError, match="no exact split"):
        trace(systems.checkpoint(encoding), TEXT, without={"a"})


def test_terms_of_the_upper_layer() -> None:
    found = trace(systems.checkpoint("xl"), TEXT, without={"d"}, layer=1)
    assert np.abs(found.losses - trace(systems.checkpoint("xl"), TEXT).losses).max() > 1e-3
    with pytest.raises(ValueError, match="layer 1 of the absolute model has no exact split"):
        trace(systems.checkpoint("learned"), TEXT, without={"d"}, layer=1)
