"""The part of the scores that positions bring in: against the whole score, pair by pair, and its means."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
import torch

from tests.analysis import small
from tests.analysis.systems import checkpoint
from tests.models.small import Keep
from txlviz.analysis.position_part import position_part
from txlviz.models import SystemTransformer
from txlviz.models.encodings.rotary import turned

TEXT = small.TEXT[:90]
ADDED = ["shaw", "alibi", "rotary"]


def recorded(encoding: str, layer: int, **changes: Any) -> tuple[Any, Any, Any]:
    """What the model's own traced path reports of a layer, and the layer's q and k: (record, q, k)."""
    source = checkpoint(encoding, **changes)
    model = source.model
    assert isinstance(model, SystemTransformer)
    keep, rows = Keep(), []
    attention = model.blocks[layer].attention
    handle = attention.register_forward_pre_hook(lambda _, given: rows.append(given[0]))
    with torch.inference_mode():
        inputs = source.inputs(TEXT)[: 16 if encoding == "learned" else None]
        model(torch.tensor([inputs]), recorder=keep)
        handle.remove()
        q, k, _ = attention.project(rows[0], rows[0])  # type: ignore[operator, union-attr]
    return keep.layers[layer], q[0], k[0]


@pytest.mark.parametrize("encoding", ADDED)
@pytest.mark.parametrize("layer", [0, 1])
def test_score_is_contents_and_this_part(encoding: str, layer: int) -> None:
    found = position_part(checkpoint(encoding), TEXT, layer)
    record, q, k = recorded(encoding, layer)
    assert found.scores is not None
    part = torch.from_numpy(np.nan_to_num(found.scores))
    whole = (q @ k.transpose(-1, -2) / math.sqrt(8) + part).masked_fill(~record.visible, -math.inf)
    torch.testing.assert_close(whole, record.scores[0], rtol=0, atol=2e-4)
    np.testing.assert_allclose(found.weights, record.rebuilt[0], atol=1e-5)
    assert np.array_equal(np.isnan(found.scores), np.broadcast_to(~record.visible.numpy(), found.scores.shape))


@pytest.mark.parametrize("layer", [0, 1])
@pytest.mark.parametrize("without", [(), ("b",), ("d",), ("b", "d")])
def test_of_the_transformer_xl_it_is_b_and_d(layer: int, without: tuple[str, ...]) -> None:
    found = position_part(checkpoint("xl", without=without), TEXT, layer)
    record, _, _ = recorded("xl", layer, without=without)
    assert found.scores is not None
    expected = (record.split["b"] + record.split["d"])[0] / math.sqrt(8)
    np.testing.assert_allclose(np.nan_to_num(found.scores), expected.masked_fill(~record.visible, 0), atol=1e-5)
    assert (np.nan_to_num(found.scores).any()) == (without != ("b", "d"))


@pytest.mark.parametrize("encoding", ["sinusoids", "learned"])
def test_of_positions_at_the_input_it_is_u_u_in_the_first_layer(encoding: str) -> None:
    found = position_part(checkpoint(encoding), TEXT)
    model = checkpoint(encoding).model
    assert isinstance(model, SystemTransformer)
    T = len(found.inputs)
    assert (16 if encoding == "learned" else len(checkpoint(encoding).inputs(TEXT))) == T
    attention, U = model.blocks[0].attention, model.place(T)
    assert U is not None
    assert found.scores is not None
    with torch.inference_mode():
        q, k = (U @ w.T for w in (attention.w_q.weight, attention.w_kv.weight[:16]))  # type: ignore[union-attr, operator, index]
    for head in range(2):
        own = slice(8 * head, 8 * head + 8)
        for i in range(T):
            for j in range(i + 1):
                assert found.scores[head, i, j] == pytest.approx(float(q[i, own] @ k[j, own]) / math.sqrt(8), abs=1e-4)
    above = position_part(checkpoint(encoding), TEXT, layer=1)
    assert above.scores is above.by_distance is above.spread is None
    assert above.weights.shape == (2, T, T)


def test_without_positions_there_is_no_part() -> None:
    found = position_part(checkpoint("none"), TEXT)
    assert found.scores is None
    np.testing.assert_allclose(found.weights.sum(-1), 1, atol=1e-5)
    assert not found.weights[:, 0, 1:].any()


def test_alibi_is_a_function_of_the_distance_alone_and_rope_is_not() -> None:
    alibi, rope = (position_part(checkpoint(name), TEXT, layer=1) for name in ("alibi", "rotary"))
    T = len(alibi.inputs)
    assert alibi.by_distance is not None
    assert alibi.spread is not None
    assert rope.spread is not None
    np.testing.assert_allclose(alibi.by_distance, -np.array([[1 / 16], [1 / 256]]) * np.arange(T), rtol=1e-6)
    assert not alibi.spread.any()
    assert (rope.spread[:, 1 : T - 2] > 0.01).all()
    assert np.abs(rope.spread[:, 0]).max() < 1e-4  # query and key of one place are turned alike


def test_rope_pair_by_pair() -> None:
    found = position_part(checkpoint("rotary"), TEXT, layer=1)
    _, q, k = recorded("rotary", 1)
    assert found.scores is not None
    for i, j in [(0, 0), (5, 2), (20, 0), (20, 19)]:
        with_turn = turned(q[1, i][None], torch.tensor([i - j]))[0] @ k[1, j]  # by the distance alone
        assert found.scores[1, i, j] == pytest.approx(float(with_turn - q[1, i] @ k[1, j]) / math.sqrt(8), abs=2e-4)


@pytest.mark.parametrize("changes", [{}, {"attention": "longformer", "window": 3, "n_global": 1}])
def test_means_are_over_visible_pairs(changes: dict[str, Any]) -> None:
    found = position_part(checkpoint("xl", **changes), TEXT, layer=1)
    T = len(found.inputs)
    assert found.scores is not None
    assert found.by_distance is not None
    assert found.spread is not None
    for distance in range(T):
        pairs = [(i, i - distance) for i in range(distance, T) if not changes or distance <= 3 or i == distance]
        values = np.array([[found.scores[head, i, j] for i, j in pairs] for head in range(2)], dtype=float)
        weights = np.array([[found.weights[head, i, j] for i, j in pairs] for head in range(2)], dtype=float)
        np.testing.assert_allclose(found.by_distance[:, distance], values.mean(1), atol=1e-5)
        np.testing.assert_allclose(found.spread[:, distance], values.std(1), atol=1e-5)
        np.testing.assert_allclose(found.weights_by_distance[:, distance], weights.mean(1), atol=1e-6)


def test_places_cuts_the_text() -> None:
    assert len(position_part(checkpoint("alibi"), TEXT, places=7).inputs) == 7


@pytest.mark.parametrize(
    ("layer", "text", "words"), [(2, TEXT, "no layer 2"), (-1, TEXT, "no layer -1"), (0, "", "text is empty")]
)
def test_what_is_refused(layer: int, text: str, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        position_part(checkpoint("alibi"), text, layer)


def test_the_two_models_are_refused() -> None:
    with pytest.raises(ValueError, match="no model of the landscape"):
        position_part(small.checkpoint("xl"), TEXT)
