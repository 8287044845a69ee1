"""No output depends on a later token, bit for bit."""

from __future__ import annotations

import pytest
import torch

from tests.models.small import Keep, either, random_ids, replaced, xl

LENGTH = 9
MODELS = {
    "xl": {"kind": "xl"},
    "xl, clamp_len": {"kind": "xl", "clamp_len": 2},
    "xl, same_length": {"kind": "xl", "same_length": True, "mem_len": 3},
    "vanilla": {"kind": "vanilla"},
}


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("traced", [False, True], ids=["ordinary path", "traced path"])
@pytest.mark.parametrize("place", [1, 4, LENGTH - 1])
def test_a_later_token_changes_no_earlier_output(name: str, traced: bool, place: int) -> None:
    model, ids = either(**MODELS[name]), random_ids(2, LENGTH)  # type: ignore[arg-type]
    with torch.no_grad():
        before = model(ids, recorder=Keep() if traced else None).hidden
        after = model(replaced(ids, place), recorder=Keep() if traced else None).hidden
    assert torch.equal(before[:, :place], after[:, :place])
    assert not torch.equal(before[:, place], after[:, place])


@pytest.mark.parametrize("place", [1, 4, LENGTH - 1])
def test_nor_with_a_memory(place: int) -> None:
    model, ids = xl(), random_ids(2, LENGTH)
    with torch.no_grad():
        memory = model(random_ids(2, LENGTH, seed=1)).memory
        before, after = model(ids, memory), model(replaced(ids, place), memory)
    assert torch.equal(before.hidden[:, :place], after.hidden[:, :place])
    assert not torch.equal(before.hidden[:, place], after.hidden[:, place])


@pytest.mark.parametrize("kind", ["xl", "vanilla"])
def test_nor_in_a_text_longer_than_a_block_of_the_kernel(kind: str) -> None:
    model, ids, place = either(kind, n_layers=1), random_ids(1, 1300), 700
    with torch.no_grad():
        before, after = model(ids).hidden, model(replaced(ids, place)).hidden
    assert torch.equal(before[:, :place], after[:, :place])
    assert not torch.equal(before[:, place], after[:, place])


@pytest.mark.parametrize("kind", ["xl", "vanilla"])
def test_an_output_sends_gradient_to_no_later_token(kind: str) -> None:
    model = either(kind)
    ids = torch.arange(LENGTH)[None]
    model(ids).hidden[0, 4].square().sum().backward()
    assert model.embedding.weight.grad is not None
    reached = model.embedding.weight.grad.abs().sum(-1).nonzero().flatten().tolist()
    assert reached == [0, 1, 2, 3, 4]


@pytest.mark.parametrize("kind", ["xl", "vanilla"])
def test_every_earlier_token_matters(kind: str) -> None:
    model, ids = either(kind, n_layers=1), random_ids(1, LENGTH)
    with torch.no_grad():
        last = model(ids).hidden[:, -1]
        assert all(not torch.equal(model(replaced(ids, place)).hidden[:, -1], last) for place in range(LENGTH))
