"""With each position system: no output depends on a later token, bit for bit, and all earlier ones matter."""

from __future__ import annotations

import pytest
import torch

from tests.models.encodings.systems import system
from tests.models.small import Keep, random_ids, replaced
from txlviz.models import SystemTransformer
from txlviz.models.system_config import ENCODINGS

LENGTH = 11
WITHOUT = [("xl", {"without": (term,)}) for term in "abcd"]
CHOICES = [(name, {}) for name in ENCODINGS] + [("xl", {"attention": "longformer", "window": 3})] + WITHOUT
IDS = [" ".join([name, *map(str, changes.values())]) for name, changes in CHOICES]


@pytest.mark.parametrize(("name", "changes"), CHOICES, ids=IDS)
@pytest.mark.parametrize("traced", [False, True], ids=["ordinary path", "traced path"])
@pytest.mark.parametrize("place", [1, 4, LENGTH - 1])
def test_a_later_token_changes_no_earlier_output(name: str, changes: dict, traced: bool, place: int) -> None:  # type: ignore[type-arg]
    check(system(name, **changes), traced, place, with_memory=False)


@pytest.mark.parametrize("name", ENCODINGS)
@pytest.mark.parametrize("traced", [False, True], ids=["ordinary path", "traced path"])
@pytest.mark.parametrize("place", [1, 4, LENGTH - 1])
def test_nor_with_a_memory(name: str, traced: bool, place: int) -> None:
    check(system(name, recurrent=True), traced, place, with_memory=True)


def check(model: SystemTransformer, traced: bool, place: int, *, with_memory: bool) -> None:
    ids = random_ids(2, LENGTH)
    with torch.no_grad():
        memory = model(random_ids(2, LENGTH, seed=1)).memory if with_memory else None
        before = model(ids, memory, recorder=Keep() if traced else None)
        after = model(replaced(ids, place), memory, recorder=Keep() if traced else None)
    assert torch.equal(before.hidden[:, :place], after.hidden[:, :place])
    assert not torch.equal(before.hidden[:, place], after.hidden[:, place])
    if with_memory:
        assert all(layer.shape[1] == 6 for layer in after.memory)


@pytest.mark.parametrize("name", [name for name in ENCODINGS if name != "learned"])
def test_nor_in_a_text_longer_than_a_block_of_the_kernel(name: str) -> None:
    model, ids, place = system(name, n_layers=1), random_ids(1, 1100), 700
    with torch.no_grad():
        before, after = model(ids).hidden, model(replaced(ids, place)).hidden
    assert torch.equal(before[:, :place], after[:, :place])
    assert not torch.equal(before[:, place], after[:, place])


@pytest.mark.parametrize("name", ENCODINGS)
@pytest.mark.parametrize("recurrent", [False, True])
def test_an_output_sends_gradient_to_no_later_token(name: str, recurrent: bool) -> None:
    model = system(name, recurrent=recurrent)
    model(torch.arange(LENGTH)[None]).hidden[0, 4].square().sum().backward()
    assert model.embedding.weight.grad is not None
    assert model.embedding.weight.grad.abs().sum(-1).nonzero().flatten().tolist() == [0, 1, 2, 3, 4]


@pytest.mark.parametrize(("name", "changes"), CHOICES, ids=IDS)
@pytest.mark.parametrize("recurrent", [False, True])
def test_gradients_reach_every_parameter(name: str, changes: dict, recurrent: bool) -> None:  # type: ignore[type-arg]
    if recurrent and changes.get("attention") == "longformer":
        with pytest.raises(ValueError, match="without memory"):
            system(name, recurrent=True, **changes)
        return
    model, ids = system(name, recurrent=recurrent, **changes), random_ids(3, 16)
    memory = model(random_ids(3, 16, seed=1)).memory or None
    loss = model(ids, memory, targets=random_ids(3, 16, seed=2)).loss
    assert loss is not None
    loss.backward()
    for name_, parameter in model.named_parameters():
        assert parameter.grad is not None, name_
        assert float(parameter.grad.abs().sum()) > 0, name_


@pytest.mark.parametrize("name", ENCODINGS)
def test_every_earlier_token_matters(name: str) -> None:
    model, ids = system(name, n_layers=1), random_ids(1, LENGTH)
    with torch.no_grad():
        last = model(ids).hidden[:, -1]
        assert all(not torch.equal(model(replaced(ids, place)).hidden[:, -1], last) for place in range(LENGTH))
