"""Which weights there are, how many, and what they start from."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from tests.models.small import config, either, random_ids, xl
from txlviz.models import ModelConfig, TransformerXL, build

LARGER: dict[str, Any] = {"vocab_size": 300, "n_layers": 3, "n_heads": 4, "d_model": 32, "d_inner": 48, "d_head": 12}


def count(c: ModelConfig) -> int:
    """The number of weights, from the paper's shapes."""
    D, width = c.d_model, c.n_heads * c.d_head
    projections = (5 if c.kind == "xl" else 4) * D * width  # q, k, v, o, and r
    feed_forward = 2 * D * c.d_inner + c.d_inner + D
    biases = 2 * width * (1 if c.tie_uv else c.n_layers) if c.kind == "xl" else 0
    return c.vocab_size * (D + 1) + c.n_layers * (projections + feed_forward + 4 * D) + biases


@pytest.mark.parametrize("kind", ["xl", "vanilla"])
@pytest.mark.parametrize("changes", [{}, LARGER], ids=["small", "larger"])
def test_the_count_is_that_of_the_papers_shapes(kind: str, changes: dict[str, int]) -> None:
    ours = config(kind, **changes)
    assert build(ours).parameter_count() == count(ours)


def test_tied_biases_save_a_pair_a_layer() -> None:
    untied, tied = build(config(**LARGER)), build(config(**LARGER, tie_uv=True))
    assert tied.parameter_count() == count(tied.config)
    assert untied.parameter_count() - tied.parameter_count() == 2 * (3 - 1) * 4 * 12


def test_tied_biases_are_read_by_every_layer_and_untied_ones_by_their_own() -> None:
    ids = random_ids(1, 5)
    for tie_uv in (False, True):
        model = xl(n_layers=3, tie_uv=tie_uv)
        before = model(ids).memory
        with torch.no_grad():
            model.u[-1] += 1.0
        changed = [not torch.equal(now, then) for now, then in zip(model(ids).memory, before, strict=True)]
        assert changed == [False, tie_uv, tie_uv]


def test_memory_and_window_cost_no_weights() -> None:
    shapes = [
        {name: p.shape for name, p in TransformerXL(config(**changes)).named_parameters()}
        for changes in ({"mem_len": 0}, {"mem_len": 500}, {"same_length": True}, {"clamp_len": 3})
    ]
    assert all(s == shapes[0] for s in shapes)


def test_sinusoids_are_no_part_of_the_state() -> None:
    model = xl()
    assert set(model.state_dict()) == {name for name, _ in model.named_parameters()}


@pytest.mark.parametrize("mem_len", [0, 1, 6, 50])
@pytest.mark.parametrize("length", [1, 5])
def test_the_output_has_the_segments_shape_for_any_memory(mem_len: int, length: int) -> None:
    model = xl(mem_len=mem_len)
    memory = model(random_ids(3, 9)).memory
    output = model(random_ids(3, length), memory, targets=random_ids(3, length))
    assert output.hidden.shape == (3, length, 16)
    assert output.loss.shape == ()
    assert [rows.shape for rows in output.memory] == [(3, min(mem_len, min(mem_len, 9) + length), 16)] * 2


@pytest.mark.parametrize("kind", ["xl", "vanilla"])
def test_fresh_weights_are_normal_with_the_original_deviation(kind: str) -> None:
    torch.manual_seed(0)
    for name, parameter in build(config(kind, **LARGER)).named_parameters():
        if name.endswith("norm.weight"):
            assert (parameter == 1).all()
        elif parameter.dim() == 1:
            assert (parameter == 0).all()
        else:
            assert parameter.std().item() == pytest.approx(0.02, rel=0.25)
            assert abs(parameter.mean().item()) < 0.006


@pytest.mark.parametrize("kind", ["xl", "vanilla"])
def test_the_seed_decides_the_fresh_weights(kind: str) -> None:
    states = []
    for seed in (0, 0, 1):
        torch.manual_seed(seed)
        states.append(build(config(kind)).embedding.weight)
    assert torch.equal(states[0], states[1])
    assert not torch.equal(states[0], states[2])


@pytest.mark.parametrize("kind", ["xl", "vanilla"])
def test_every_weight_matters(kind: str) -> None:
    model, ids = either(kind), random_ids(2, 6)
    output = model(ids, targets=random_ids(2, 6, seed=1))
    output.loss.backward()
    assert [name for name, p in model.named_parameters() if p.grad is None or not p.grad.any()] == []


def test_the_projections_have_no_bias() -> None:
    names = [name for name in xl().state_dict() if ".attention." in name]
    assert len(names) == 2 * 4
    assert all(name.endswith(".weight") for name in names)
