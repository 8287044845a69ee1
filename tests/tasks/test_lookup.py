"""The lookup task: what is asked, that nothing else helps, and that a model with full attention learns it."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

import pytest
import torch

from txlviz.models.attentions.full import TwoSidedAttention
from txlviz.models.attentions.linformer import LinformerAttention
from txlviz.tasks import lookup
from txlviz.tasks.lookup import CHANCE, VOCABULARY, LookupSettings, Stage, batch, model, train

TINY = LookupSettings(lengths=(8, 16), at_most=3, last_steps=2, delay=3, tokens=64, d_model=16, d_inner=16)


@pytest.fixture(autouse=True, scope="module")
def _one_thread() -> Iterator[None]:
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


def stages(settings: LookupSettings) -> list[Stage]:
    return [one for one in train(settings) if one is not None]


def test_each_place_asks_for_the_symbol_d_before_it() -> None:
    ids, wanted = batch(10, 50, 3, torch.Generator().manual_seed(0))
    assert ids.shape == (50, 10)
    assert wanted.shape == (50, 7)
    for place in range(3, 10):
        assert torch.equal(wanted[:, place - 3], ids[:, place - 3])
    counts = ids.flatten().bincount(minlength=VOCABULARY)
    assert len(counts) == VOCABULARY
    assert CHANCE * VOCABULARY == 1


def test_the_attentions_that_are_compared() -> None:
    full, short = model(TINY), model(LookupSettings(rank=4, lengths=(8, 16), delay=3, seed=2))
    for block in full.blocks:
        assert isinstance(block.get_submodule("attention"), TwoSidedAttention)
    for block in short.blocks:
        attention = block.get_submodule("attention")
        assert isinstance(attention, LinformerAttention)
        assert attention.E.shape == attention.F.shape == (4, 16)
    first, second = (block.get_submodule("attention") for block in short.blocks)
    assert not torch.equal(first.get_parameter("E"), second.get_parameter("E"))


def test_both_start_from_the_same_weights() -> None:
    full, short = (dict(model(LookupSettings(rank=rank)).named_parameters()) for rank in (None, 32))
    assert all(torch.equal(tensor, short[name]) for name, tensor in full.items())


def test_a_run_goes_through_all_lengths_and_is_the_same_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lookup, "_SCORED", 2048)
    torch.manual_seed(3)
    state = torch.random.get_rng_state()
    made = list(train(TINY))
    assert torch.equal(torch.random.get_rng_state(), state)
    assert [one is None for one in made] == 2 * ([True] * 5 + [False])
    found = [one for one in made if one is not None]
    assert [(one.n, one.steps, one.converged) for one in found] == [(8, 5, False), (16, 5, False)]
    assert found == stages(TINY)
    for one in found:
        assert one.accuracy == pytest.approx(CHANCE, abs=0.03), "nothing is learned in so few steps"
        assert one.loss == pytest.approx(2.77, abs=0.1)


def test_full_attention_learns_it() -> None:
    learned = stages(LookupSettings(lengths=(12,), at_most=200, last_steps=50, delay=4, tokens=768, d_model=32, d_inner=32))
    assert learned[-1].accuracy > 0.9


def test_a_stage_ends_when_the_held_out_loss_is_flat(monkeypatch: pytest.MonkeyPatch) -> None:
    """Looks each second step; four steps without a fall of 0.5 nats below the lowest end it. Last steps and a score follow."""
    losses = iter([9.0, 8.0, 7.6, 7.5, 7.4, 7.2, 0.1, *[5.0] * 3, 0.2])
    seeds = []

    def scored(_: object, settings: LookupSettings, n: int, seed: int) -> tuple[float, float]:
        seeds.append(seed)
        return 0.5, next(losses)

    monkeypatch.setattr(lookup, "_scored", scored)
    settings = dataclasses.replace(TINY, at_most=100, check_every=2, flat_steps=4, flat=0.5, last_steps=3)
    first, second = stages(settings)
    assert (first.steps, first.loss, first.converged) == (2 * 6 + 3, 0.1, True)  # 7.5 is a fall below 8.0, and 7.2 none
    assert (second.steps, second.loss, second.converged) == (2 * 3 + 3, 0.2, True)
    assert len(set(seeds)) == 2, "the texts that say when to stop aren't those that are scored"


@pytest.mark.parametrize("changes", [{"delay": 32}, {"delay": 0}, {"at_most": 0}, {"tokens": 100}, {"last_steps": 0}])
def test_settings_that_make_no_sense_are_refused(changes: dict[str, int]) -> None:
    with pytest.raises(ValueError, match=r"delay|steps"):
        LookupSettings(**changes)  # type: ignore[arg-type]
