"""The two ends of the rewrite are the models' own first layers."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
import torch

import txlviz
from tests.analysis import small
from txlviz.analysis.rewrite import rewrite
from txlviz.models.positions import sinusoids

SHIPPED = Path(__file__).parents[2] / "checkpoints"


@pytest.fixture(scope="module", params=["small", "wikitext2-2l", "wikitext2-4l"])
def pair(request):
    if request.param == "small":
        return small.checkpoint("xl"), small.checkpoint("vanilla")
    return tuple(txlviz.load(SHIPPED / request.param / kind) for kind in ("xl", "vanilla"))


@pytest.mark.parametrize(("query", "distance", "head"), [(16, 0, 0), (21, 5, 1), (23, 2, 2), (6, 6, 0)])
def test_both_ends_are_the_traced_terms(pair, query, distance, head):
    made = rewrite(*pair, small.TEXT, 8, query, distance, head)
    assert (made.number_query, made.number_key) == (query % 8, query % 8 - distance)
    for model, found in zip(pair, (made.relative, made.absolute), strict=True):
        run = txlviz.trace(model, small.TEXT, 8, 16 if model.is_xl else 0, record=[query // 8])
        segment = run.segments[query // 8]
        cell = (head, query - segment.start, query - distance - segment.first_key)
        for term, value in found.items():
            assert value == pytest.approx(
                float(segment.layers[0].terms[term][cell]) / math.sqrt(run.d_head), rel=1e-3, abs=1e-4
            )


def test_the_quantities_that_are_replaced(pair):
    xl, vanilla = pair
    made = rewrite(xl, vanilla, small.TEXT, 8, 21, 5, 1)
    E = xl.config.d_head
    part = slice(E, 2 * E)
    with torch.inference_mode():
        w_q = vanilla.model.blocks[0].attention.w_q.weight[part]
        numbers = [torch.tensor([n]) for n in range(vanilla.config.segment_length)]
        asked = [float((w_q @ sinusoids(n, xl.config.d_model)[0]).norm()) for n in numbers]
        key_e = xl.model.blocks[0].attention.w_kv.weight[: -xl.config.n_heads * E][part]
        key_r = xl.model.blocks[0].attention.w_r.weight[part]
        cosine = float((key_e * key_r).sum() / key_e.norm() / key_r.norm())
        biases = float(xl.model.u[0, 1].norm()), float(xl.model.v[0, 1].norm())
    assert made.asked == pytest.approx((min(asked), max(asked)), rel=1e-4)
    assert made.biases == pytest.approx(biases, rel=1e-5)
    assert made.key_cosine == pytest.approx(cosine, abs=1e-5)


@pytest.mark.parametrize(("query", "distance"), [(21, 6), (21, -1), (10_000, 0)])
def test_a_key_of_another_segment_is_refused(pair, query, distance):
    with pytest.raises(ValueError, match="same segment"):
        rewrite(*pair, small.TEXT, 8, query, distance, 0)


def test_the_models_must_come_in_their_order(pair):
    with pytest.raises(ValueError, match="needed"):
        rewrite(*reversed(pair), small.TEXT, 8, 21, 5, 0)
