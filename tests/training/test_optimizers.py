"""Muon against torch's own, and which weights each optimizer gets."""

from __future__ import annotations

import pytest
import torch
from torch import nn

from txlviz import models
from txlviz.training.optimizers import Muon, optimizers, orthogonal
from txlviz.training.presets import PRESETS


@pytest.mark.parametrize("shape", [(24, 16), (16, 24), (16, 16)])
def test_steps_are_those_of_torchs_muon(shape: tuple[int, int]) -> None:
    """Torch's works in bfloat16: equal to about 1 % of a step."""
    generator = torch.Generator().manual_seed(1)
    start, gradients = torch.randn(shape, generator=generator), torch.randn(3, *shape, generator=generator)
    ours, theirs = (nn.Parameter(start.clone()) for _ in range(2))
    options = {"lr": 0.1, "momentum": 0.95, "weight_decay": 0.05}
    pair = [Muon([{"params": [ours]}], **options), torch.optim.Muon([theirs], adjust_lr_fn="match_rms_adamw", **options)]
    for gradient in gradients:
        for parameter, optimizer in zip((ours, theirs), pair, strict=True):
            parameter.grad = gradient.clone()
            optimizer.step()
    moved = float((theirs - start).detach().norm())
    assert float((ours - theirs).detach().norm()) < 0.03 * moved


def test_two_matrices_in_one_weight_are_made_orthogonal_each_on_its_own() -> None:
    generator = torch.Generator().manual_seed(2)
    weight = nn.Parameter(torch.zeros(16, 8))
    weight.grad = torch.randn(16, 8, generator=generator)
    Muon([{"params": [weight], "parts": 2}], lr=1.0, momentum=0.0).step()
    for half, gradient in zip(weight.detach().split(8), weight.grad.split(8), strict=True):
        single = nn.Parameter(torch.zeros(8, 8))
        single.grad = gradient.clone()
        Muon([{"params": [single]}], lr=1.0, momentum=0.0).step()
        assert torch.equal(half, single)


def test_singular_values_end_near_one_and_the_vectors_stay() -> None:
    matrix = torch.randn(1, 12, 20, generator=torch.Generator().manual_seed(3))
    u, before, v = torch.linalg.svd(matrix[0], full_matrices=False)
    assert before.max() / before.min() > 2
    inside = u.T @ orthogonal(matrix)[0] @ v.T
    after = inside.diagonal()
    assert 0.6 < float(after.min()) <= float(after.max()) < 1.3
    assert float((inside - after.diag()).abs().max()) < 1e-4


@pytest.mark.parametrize("kind", ["xl", "vanilla"])
@pytest.mark.parametrize("name", ["adamw", "muon"])
def test_every_weight_is_trained_once_and_only_matrices_decay(kind: models.config.Kind, name: str) -> None:
    model = models.build(PRESETS["wikitext2-2l"].config(kind, 64))
    made = optimizers(model, name, rate=2.0, matrix_rate=3.0, weight_decay=0.1)  # type: ignore[arg-type]
    groups = [(optimizer, group) for optimizer in made for group in optimizer.param_groups]
    trained = [id(p) for _, group in groups for p in group["params"]]
    assert sorted(trained) == sorted(id(p) for p in model.parameters())
    for optimizer, group in groups:
        assert group["peak"] == (3.0 if isinstance(optimizer, Muon) else 2.0)
        if any(p.dim() != 2 for p in group["params"]):
            assert group["weight_decay"] == 0.0
