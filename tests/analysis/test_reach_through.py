"""Reach through any masks: against walking the pairs one by one, against the span of the models, and against the models."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from tests.models.small import random_ids, randomised, replaced, vanilla
from txlviz import memory_span
from txlviz.analysis.landscape import connected, masks
from txlviz.analysis.paths import Mask
from txlviz.analysis.reach import descend_through, reach_through, reachable
from txlviz.models import VanillaTransformer
from txlviz.models.attentions import SYSTEMS, Settings, segments
from txlviz.models.attentions.swapped import swapped

SMALL = Settings(segment_length=6, memory_length=4, window=3, n_global=1, block=3, seed=2, rank=4)


def walked(layers: list[Mask], place: int) -> Mask:
    """Node by node: those that a path of pairs leads to, each step a layer down."""
    total = len(layers[0])
    found = np.zeros((len(layers) + 1, total), dtype=bool)
    found[-1, place] = True
    for n in range(len(layers), 0, -1):
        for i in range(total):
            if found[n, i]:
                found[n - 1, i] = True
                for j in range(total):
                    if layers[n - 1][i, j]:
                        found[n - 1, j] = True
    return found


def test_it_is_where_paths_lead() -> None:
    layers = [np.random.default_rng(seed).random((14, 14)) < 0.12 for seed in range(3)]
    for place in range(14):
        np.testing.assert_array_equal(reach_through(layers, place), walked(layers, place))
    both = walked(layers, 2) | walked(layers, 9)
    np.testing.assert_array_equal(reach_through(layers, [2, 9]), both)
    for row, expected in zip(descend_through(layers, [2, 9]), walked(layers, 9)[::-1], strict=True):
        np.testing.assert_array_equal(row[1], expected)


@pytest.mark.parametrize(("L", "M"), [(5, 0), (5, 3), (5, 5), (5, 12), (1, 2)])
def test_the_masks_of_segments_reach_as_the_transformer_xl_does(L: int, M: int) -> None:
    total, N = 63, 3
    layers = [segments.visible(total, segment_length=L, memory_length=M).numpy()] * N
    for place in range(total):
        np.testing.assert_array_equal(reach_through(layers, place), reachable(N, L, M, place, total))
    last = total - total % L - 1 if total % L else total - 1
    assert last - reach_through(layers, last)[0].argmax() == memory_span(N, L, M)[N - 1, last % L]


@pytest.mark.parametrize("name", ["full", "longformer-causal", "longformer", "bigbird", "linformer"])
def test_inside_the_reach_an_output_changes_and_outside_it_does_not(name: str) -> None:
    """In float64, random weights: the definition of reach, on the module itself."""
    n = 17
    model = randomised(swapped(vanilla(n_layers=2), name, SMALL, n)).double()
    assert isinstance(model, VanillaTransformer)
    ids, joined = random_ids(1, n), connected(name, n, SMALL, 2)[1]
    with torch.inference_mode():
        before = model(ids).hidden[0]
        for j in range(n):
            changed = (model(replaced(ids, j)).hidden[0] != before).any(dim=-1)
            np.testing.assert_array_equal(changed.numpy(), joined[:, j], err_msg=f"{name}, token {j}")


@pytest.mark.parametrize("name", SYSTEMS)
def test_connected_is_the_cone_of_every_place_and_depth(name: str) -> None:
    n, N = 20, 3
    joined = connected(name, n, SMALL, N)
    for depth in range(1, N + 1):
        for place in range(n):
            cone = walked(masks(name, n, SMALL, depth, place), place)
            np.testing.assert_array_equal(joined[depth - 1, place], cone[0])


def test_depth_adds_nothing_to_a_sliding_window() -> None:
    joined = connected("sliding", 30, SMALL, 3)
    places = np.arange(30)
    distance = places[:, None] - places
    for layer in joined:
        np.testing.assert_array_equal(layer, (distance >= 0) & (distance < 6))


@pytest.mark.parametrize(
    "call",
    [
        lambda: reach_through([], 0),
        lambda: reach_through([np.ones((3, 3), dtype=bool), np.ones((4, 4), dtype=bool)], 0),
        lambda: reach_through([np.ones((3, 4), dtype=bool)], 0),
        lambda: reach_through([np.ones((3, 3), dtype=bool)], 3),
        lambda: reach_through([np.ones((3, 3), dtype=bool)], []),
    ],
)
def test_what_makes_no_sense_is_refused(call) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(ValueError, match=r"square mask|there is no place"):
        call()
