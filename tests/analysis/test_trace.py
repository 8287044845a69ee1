"""The trace is the model: its terms add up to the ordinary weights, its losses are the ordinary losses."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch
from numpy.testing import assert_allclose

from tests.analysis.small import TEXT, checkpoint
from txlviz import evaluate, trace
from txlviz.analysis.evaluate import stream_losses
from txlviz.checkpoint import Checkpoint

XL, VANILLA = checkpoint("xl"), checkpoint("vanilla")
IDS = XL.encode(TEXT)


def softmax(scores: np.ndarray) -> np.ndarray:
    e = np.exp(scores - scores.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


@pytest.mark.parametrize("memory", [0, 1, 15, 16, 17, 300])
def test_the_terms_add_up_to_scores_and_weights(memory: int) -> None:
    run = trace(XL, TEXT, 16, memory)
    for segment in run.segments:
        for layer in segment.layers:
            assert layer.terms is not None
            total = sum(layer.terms[term] for term in "abcd") / math.sqrt(XL.config.d_head)
            assert_allclose(np.where(layer.visible, total, -np.inf), layer.scores, atol=1e-5)
            assert_allclose(softmax(layer.scores), layer.weights, atol=1e-6)
            assert layer.residual <= 1e-5
            assert layer.weights.dtype == np.float32
            assert not layer.weights[:, ~layer.visible].any()
            queries, keys = layer.visible.shape
            assert keys == segment.memory_rows + queries <= memory + 16
    assert run.residual <= 1e-5


@pytest.mark.parametrize("source", [XL, VANILLA])
@pytest.mark.parametrize("length", [1, 5, 16, 500])
def test_traced_losses_are_the_ordinary_losses(source: Checkpoint, length: int) -> None:
    run = trace(source, TEXT, length)
    ordinary = stream_losses(source.model, torch.tensor([source.tokenizer.newline, *source.encode(TEXT)]), length)
    assert_allclose(run.losses, ordinary.numpy(), atol=1e-4)
    assert run.losses.mean() == pytest.approx(evaluate(source, TEXT, length).mean_loss, abs=1e-5)


def test_tokens_places_and_segments() -> None:
    run = trace(XL, TEXT, 16, 24)
    assert "".join(run.tokens).replace("␣", " ").replace("↵", "\n") == TEXT
    assert run.inputs == ["↵", *run.tokens]
    assert len(run.losses) == len(run.tokens) == len(IDS)
    assert [segment.start for segment in run.segments] == list(range(0, len(IDS) + 1, 16))
    assert [segment.memory_rows for segment in run.segments[:4]] == [0, 16, 24, 24]
    assert run.segments[3].first_key == 48 - 24


def test_the_residual_sees_a_wrong_term(monkeypatch: pytest.MonkeyPatch) -> None:
    from txlviz.models.attention import RelativeAttention

    right = RelativeAttention.terms

    def wrong(*args: torch.Tensor) -> dict:  # type: ignore[type-arg]
        terms = right(*args)
        return terms | {"b": terms["b"].roll(1, dims=-1)}

    monkeypatch.setattr(RelativeAttention, "terms", staticmethod(wrong))
    assert trace(XL, TEXT, 16, 16).residual > 1e-3


@pytest.mark.parametrize("layer", [None, 1])
def test_without_a_term_the_score_is_the_sum_of_the_others(layer: int | None) -> None:
    run = trace(XL, TEXT, 16, 16, without={"b"}, layer=layer)
    for index, traced in enumerate(run.segments[1].layers):
        assert traced.terms is not None
        kept = "acd" if layer in (None, index) else "abcd"
        total = sum(traced.terms[term] for term in kept) / math.sqrt(XL.config.d_head)
        assert_allclose(np.where(traced.visible, total, -np.inf), traced.scores, atol=1e-5)
        assert_allclose(softmax(traced.scores), traced.weights, atol=1e-6)
        assert traced.residual <= 1e-5  # of all four terms, on the same input
    assert abs(run.losses - trace(XL, TEXT, 16, 16).losses).max() > 1e-3


def test_without_all_terms_every_visible_key_weighs_the_same() -> None:
    run = trace(XL, TEXT, 16, 16, without="abcd")
    layer = run.segments[1].layers[0]
    assert_allclose(layer.weights[0], layer.visible / layer.visible.sum(-1, keepdims=True), atol=1e-6)


def test_recording_some_segments_changes_nothing_else() -> None:
    whole, part = trace(XL, TEXT, 16, 16), trace(XL, TEXT, 16, 16, record=[1])
    assert_allclose(whole.losses, part.losses, atol=1e-5)
    assert [bool(segment.layers) for segment in part.segments] == [False, True] + [False] * (len(whole.segments) - 2)
    assert_allclose(whole.segments[1].layers[2].weights, part.segments[1].layers[2].weights, atol=1e-5)


def test_term_off_holds_in_segments_that_are_not_recorded() -> None:
    whole, part = (trace(XL, TEXT, 16, 16, without="d", record=r) for r in (None, [1]))
    assert_allclose(whole.losses, part.losses, atol=1e-5)


def test_vanilla_splits_in_its_first_layer_only() -> None:
    run = trace(VANILLA, TEXT, 16)
    first, *others = run.segments[1].layers
    assert first.terms is not None
    total = sum(first.terms[term] for term in "abcd") / math.sqrt(VANILLA.config.d_head)
    assert_allclose(softmax(np.where(first.visible, total, -np.inf)), first.weights, atol=1e-5)
    assert all(layer.terms is None for layer in others)
    assert run.residual <= 1e-5


@pytest.mark.parametrize(
    ("source", "settings", "message"),
    [
        (XL, {"without": "e"}, "no term 'e'"),
        (XL, {"without": "a", "layer": 3}, "no layer 3"),
        (VANILLA, {"without": "a", "layer": 1}, "layer 0 only"),
        (VANILLA, {"memory_length": 3}, "no memory"),
        (XL, {"segment_length": 0}, "segment length is 0"),
    ],
)
def test_settings_that_make_no_sense(source: Checkpoint, settings: dict, message: str) -> None:  # type: ignore[type-arg]
    with pytest.raises(ValueError, match=message):
        trace(source, TEXT, **settings)


def test_empty_text_and_one_token() -> None:
    with pytest.raises(ValueError, match="empty"):
        trace(XL, "")
    run = trace(XL, " ", 16, 16)
    assert len(run.tokens) == len(run.losses) == 1
    assert run.segments[0].layers[0].weights.shape == (3, 2, 2)
