"""The future-change test of the models, for every attention: a later token changes no earlier output, or it does."""

from __future__ import annotations

import pytest
import torch

from tests.models.attentions.dense import SMALL, WHOLE
from tests.models.small import Keep, random_ids, randomised, replaced, vanilla
from txlviz.models import VanillaTransformer
from txlviz.models.attentions import SYSTEMS
from txlviz.models.block import Block

LENGTH = 29


def model(name: str, n: int) -> VanillaTransformer:
    """The vanilla model with the system's attention in both blocks."""
    made = vanilla()
    for layer in range(made.config.n_layers):
        made.blocks[layer] = Block(made.config, SYSTEMS[name].attention(made.config, layer, SMALL, n))
    return randomised(made)


@pytest.mark.parametrize("name", [name for name in WHOLE if SYSTEMS[name].causal])
@pytest.mark.parametrize("traced", [False, True], ids=["ordinary path", "traced path"])
@pytest.mark.parametrize("place", [1, 2, 13, LENGTH - 1])
def test_in_a_causal_system_a_later_token_changes_no_earlier_output(name: str, traced: bool, place: int) -> None:
    made, ids = model(name, LENGTH), random_ids(2, LENGTH)
    with torch.no_grad():
        before = made(ids, recorder=Keep() if traced else None).hidden
        after = made(replaced(ids, place), recorder=Keep() if traced else None).hidden
    assert torch.equal(before[:, :place], after[:, :place])
    assert not torch.equal(before[:, place], after[:, place])


def test_nor_in_a_text_longer_than_a_block_of_the_kernel() -> None:
    made, ids, place = model("longformer-causal", 1300), random_ids(1, 1300), 700
    with torch.no_grad():
        before, after = made(ids).hidden, made(replaced(ids, place)).hidden
    assert torch.equal(before[:, :place], after[:, :place])
    assert not torch.equal(before[:, place], after[:, place])


@pytest.mark.parametrize("name", [name for name in WHOLE if not SYSTEMS[name].causal])
@pytest.mark.parametrize("place", [1, 13, LENGTH - 1])
def test_in_the_others_it_does(name: str, place: int) -> None:
    made, ids = model(name, LENGTH), random_ids(2, LENGTH)
    with torch.no_grad():
        before, after = made(ids).hidden, made(replaced(ids, place)).hidden
    assert not torch.equal(before[:, place - 1], after[:, place - 1])
    assert not torch.equal(before[:, 0], after[:, 0])


def test_a_system_says_the_same_as_its_module() -> None:
    for name in WHOLE:
        module = SYSTEMS[name].attention(vanilla().config, 0, SMALL, 5)
        assert getattr(module, "causal", True) == SYSTEMS[name].causal
