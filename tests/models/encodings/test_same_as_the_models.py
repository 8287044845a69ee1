"""With the Transformer-XL's or the vanilla model's choices and weights, the general model is that model."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor

from tests.models.encodings.systems import config, system
from tests.models.small import Keep, in_segments, random_ids, vanilla, xl
from txlviz.models import SystemTransformer, TransformerXL, VanillaTransformer


def as_system(model: TransformerXL, *, recurrent: bool = True) -> SystemTransformer:
    """The same weights under the general model's names."""
    state: dict[str, Tensor] = {}
    for name, tensor in model.state_dict().items():
        if name in ("u", "v"):
            state |= {f"blocks.{n}.attention.position.{name}": pair[:, None] for n, pair in enumerate(tensor)}
        else:
            state[name.replace("attention.w_r", "attention.position.w_r")] = tensor
    made = SystemTransformer(config("xl", recurrent=recurrent, mem_len=model.mem_len if recurrent else 0))
    made.load_state_dict(state)
    return made.eval()


@pytest.mark.parametrize("traced", [False, True], ids=["ordinary path", "traced path"])
def test_xl_with_recurrence_is_the_transformer_xl(traced: bool) -> None:
    ours, general = xl(), as_system(xl())
    memory = other = None
    with torch.no_grad():
        for segment in random_ids(2, 23).split(7, dim=1):
            recorders = (Keep(), Keep()) if traced else (None, None)
            out, same = ours(segment, memory, recorder=recorders[0]), general(segment, other, recorder=recorders[1])
            torch.testing.assert_close(same.hidden, out.hidden, rtol=0, atol=1e-5)
            for layer, again in zip(out.memory, same.memory, strict=True):
                torch.testing.assert_close(again, layer, rtol=0, atol=1e-5)
            if recorders[0] is not None and recorders[1] is not None:
                for one, two in zip(recorders[0].layers, recorders[1].layers, strict=True):
                    torch.testing.assert_close(two.rebuilt, one.rebuilt, rtol=0, atol=1e-5)
                    for term, values in one.split.items():
                        torch.testing.assert_close(two.split[term], values, rtol=0, atol=1e-4)
            memory, other = out.memory, same.memory


def test_in_double_precision_they_agree_to_1e_12() -> None:
    ours, general = xl().double(), as_system(xl()).double()
    pieces = random_ids(2, 23).split(7, dim=1)
    with torch.no_grad():
        assert float((in_segments(ours, pieces)[0] - in_segments(general, pieces)[0]).abs().max()) < 1e-12


def test_gradients_agree_as_well() -> None:
    ours, general = xl().double(), as_system(xl()).double()
    ids, targets = random_ids(2, 9), random_ids(2, 9, seed=1)
    for model in (ours, general):
        loss = model(ids, model(random_ids(2, 9, seed=2)).memory, targets).loss
        assert loss is not None
        loss.backward()
    attention = general.blocks[1].attention
    assert attention.position.u.grad[:, 0].sub(ours.u.grad[1]).abs().max() < 1e-12  # type: ignore[union-attr, index, operator]
    for name in ("w_q", "w_kv", "w_o"):
        one, two = (getattr(m.blocks[0].attention, name).weight.grad for m in (ours, general))
        torch.testing.assert_close(one, two, rtol=0, atol=1e-12)


@pytest.mark.parametrize("traced", [False, True], ids=["ordinary path", "traced path"])
def test_sinusoids_without_recurrence_are_the_vanilla_model(traced: bool) -> None:
    ours, general = vanilla(), SystemTransformer(config("sinusoids")).eval()
    general.load_state_dict(ours.state_dict())
    ids = random_ids(2, 13)
    with torch.no_grad():
        kept = (Keep(), Keep()) if traced else (None, None)
        out, same = (model(ids, recorder=keep).hidden for model, keep in zip((ours, general), kept, strict=True))
    assert torch.equal(out, same)
    assert isinstance(ours, VanillaTransformer)
    if kept[0] is not None and kept[1] is not None:
        for term, values in kept[0].layers[0].split.items():
            assert torch.equal(values, kept[1].layers[0].split[term])
        assert kept[1].layers[1].terms is None


def test_the_same_seed_draws_the_vanilla_models_weights() -> None:
    small = vanilla().config
    torch.manual_seed(3)
    ours = VanillaTransformer(small)
    torch.manual_seed(3)
    general = SystemTransformer(config("sinusoids"))
    assert all(torch.equal(tensor, general.state_dict()[name]) for name, tensor in ours.state_dict().items())


@pytest.mark.parametrize("encoding", ["none", "shaw", "xl", "rotary", "alibi"])
def test_cutting_a_text_changes_nothing_as_long_as_the_memory_holds_all_of_it(encoding: str) -> None:
    """Distances are all that these systems know, so a segment and its memory are one text (one layer: no rows are stale)."""
    model, ids = system(encoding, recurrent=True, mem_len=40, n_layers=1).double(), random_ids(2, 20)
    with torch.no_grad():
        whole = model(ids).hidden
        cut = in_segments(model, ids.split(6, dim=1))[0]
    torch.testing.assert_close(cut, whole, rtol=0, atol=1e-12)


def test_a_memory_leaves_out_what_the_next_segment_reads_again() -> None:
    model, ids = system("xl", recurrent=True).double(), random_ids(2, 10)
    with torch.no_grad():
        whole, part = model(ids[:, :7]).memory, model(ids, read_again=3).memory
    torch.testing.assert_close(part, whole, rtol=0, atol=1e-12)  # 10 rows may be added up in another order than 7


def test_a_model_without_recurrence_takes_no_memory_and_keeps_none() -> None:
    model = system("rotary")
    assert model(random_ids(1, 5)).memory == ()
    assert not model.has_memory
    with pytest.raises(ValueError, match="without recurrence"):
        model(random_ids(1, 5), tuple(torch.zeros(1, 2, 16) for _ in range(2)))
    with pytest.raises(ValueError, match="without recurrence"):
        model.with_mem_len(4)
