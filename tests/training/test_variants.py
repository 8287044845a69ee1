"""The runs of the landscape: which there are, what each is trained on, and that a killed one ends at the same weights."""

from __future__ import annotations

import dataclasses
import itertools
from pathlib import Path

import pytest
import torch

from tests.training import tiny
from txlviz.models import SystemTransformer, build
from txlviz.training.presets import PRESETS
from txlviz.training.run import Run, train
from txlviz.training.variants import LANDSCAPE, SHIPPED, VARIANTS
from txlviz.training.world import World

PRESET = dataclasses.replace(tiny.LANDSCAPE, dropout=0.0, attention_dropout=0.0)  # segments of 8


def run_of(name: str) -> Run:
    return Run(PRESET, VARIANTS[name], tiny.data(), World())


def test_there_are_22_runs() -> None:
    of_segments = {
        f"{e}-{loss}" for e in ("none", "sinusoids", "learned", "shaw", "xl", "rotary", "alibi") for loss in ("full", "half")
    }
    recurrent = {"xl-recurrent-full", "xl-recurrent-half", "shaw-recurrent-full"}
    without = {f"xl-recurrent-without-{term}" for term in "abcd"}
    assert set(VARIANTS) == of_segments | recurrent | without | {"longformer-full"}
    assert set(SHIPPED) < set(VARIANTS)
    assert len(SHIPPED) == 9


def test_each_name_says_what_is_chosen() -> None:
    for name, variant in VARIANTS.items():
        config = variant.config(LANDSCAPE, 4096)
        assert variant.name == name
        assert config.encoding == ("xl" if name == "longformer-full" else name.split("-")[0])
        assert config.recurrent == ("recurrent" in name)
        assert config.mem_len == (128 if "recurrent" in name else 0)
        assert (config.attention, config.window, config.n_global) == ("longformer" if "long" in name else "causal", 32, 1)
        assert variant.half == name.endswith("half")
        assert list(config.without) == ([name[-1]] if "without" in name else [])


def test_all_have_the_same_budget_as_half_an_epoch_of_the_preset() -> None:
    steps_per_epoch = 1445
    assert LANDSCAPE.steps == steps_per_epoch // 2
    preset = PRESETS["wikitext2-2l"]
    own = ("name", "steps", "warmup_steps", "memory", "optimizer", "learning_rate", "matrix_learning_rate")
    assert dataclasses.replace(LANDSCAPE, **{key: getattr(preset, key) for key in own}) == preset


def test_sizes_differ_by_what_the_position_system_learns() -> None:
    count = {name: build(variant.config(LANDSCAPE, 4096)).parameter_count() for name, variant in VARIANTS.items()}
    N, D, H, E = 2, 128, 4, 32
    plain = count["none-full"]
    assert count["sinusoids-full"] == count["rotary-full"] == count["alibi-full"] == plain
    assert count["learned-full"] == plain + 64 * D
    assert count["shaw-full"] == plain + N * 2 * 17 * E
    assert count["xl-full"] == count["xl-recurrent-full"] == count["longformer-full"] == plain + N * (D * D + 2 * H * E)
    assert count["xl-recurrent-without-c"] == count["xl-recurrent-without-d"] == count["xl-full"] - N * H * E


@pytest.mark.parametrize("name", ["alibi-half", "xl-recurrent-half"])
def test_half_the_loss_is_that_of_the_second_half_of_windows_that_move_by_half(name: str) -> None:
    run = run_of(name)
    batches = [run.streams.batch(step) for step in range(4)]
    for (before, _), (after, _) in itertools.pairwise(batches):
        assert torch.equal(before[:, 4:], after[:, :4])  # the inputs of the step before stand in front
    targets = torch.cat([wanted[:, 4:] for _, wanted in batches], dim=1)
    assert torch.equal(
        targets[:, :-1], torch.cat([read for read, _ in batches[:1]] + [r[:, 4:] for r, _ in batches[1:]], 1)[:, 5:]
    )
    inputs, wanted = batches[0]
    losses = run.model.token_losses(run.model(inputs).hidden, wanted)
    assert float(run.train_step()) == pytest.approx(float(losses[:, 4:].mean().detach()), abs=1e-5)


def test_gradients_flow_through_the_inputs_that_are_not_scored() -> None:
    run = run_of("rotary-half")
    only_in_front = torch.full((4, 8), 7)
    only_in_front[:, 4:] = 9
    run._loss(only_in_front, torch.full((4, 8), 9)).backward()  # type: ignore[no-untyped-call]
    front = run.model.blocks[0].attention.w_kv.weight.grad  # type: ignore[union-attr, index]
    assert front is not None
    run.model.zero_grad()
    out = run.model(only_in_front)
    embedded = []
    run.model.embedding.register_forward_hook(lambda *given: embedded.append(given[2]) or given[2].retain_grad())
    run._loss(only_in_front, torch.full((4, 8), 9)).backward()  # type: ignore[no-untyped-call]
    assert out.hidden.shape == (4, 8, 16)
    assert float(embedded[0].grad[:, :4].abs().sum()) > 0


def test_the_memory_of_half_loss_ends_where_the_next_window_begins() -> None:
    """After each step the first layer's memory holds the embeddings of exactly what precedes the next window."""
    run = run_of("xl-recurrent-half")
    read: list[torch.Tensor] = []
    for step in range(6):
        inputs, _ = run.streams.batch(step)
        weight = run.model.embedding.weight.detach().clone()
        run.train_step()
        read.append(inputs[:, :4])  # the window's other half is read again
        past = torch.cat(read, dim=1)[:, -12:]
        rows, _ = run.memory.read(12)
        assert rows is not None
        assert rows[0].shape[1] == past.shape[1]
        newest = rows[0][:, -4:]
        torch.testing.assert_close(newest, weight[past[:, -4:]] * 4.0)  # sqrt(16)


def test_batches_of_full_loss_are_those_of_the_two_models() -> None:
    for name in ("none-full", "xl-recurrent-full"):
        ours, theirs = run_of(name).streams, Run(PRESET, "xl", tiny.data(), World()).streams
        assert ours.steps_per_epoch == theirs.steps_per_epoch
        assert all(torch.equal(a, b) for a, b in zip(ours.batch(5), theirs.batch(5), strict=True))


@pytest.mark.parametrize("name", ["xl-recurrent-half", "shaw-full"])
def test_a_run_that_was_stopped_ends_at_the_same_weights(tmp_path: Path, name: str) -> None:
    preset = dataclasses.replace(tiny.LANDSCAPE, steps=24)  # with dropout: the random state matters
    whole = train(preset, VARIANTS[name], tiny.data(), tmp_path / "whole", save_every=10)
    stopped = tmp_path / "stopped"
    train(preset, VARIANTS[name], tiny.data(), stopped, save_every=10)
    run = Run(preset, VARIANTS[name], tiny.data(), World())
    for _ in range(10):
        run.train_step()
    run.save(stopped)
    ended = train(preset, VARIANTS[name], tiny.data(), stopped, resume=True, save_every=10)
    assert isinstance(ended.model, SystemTransformer)
    for one, two in zip(whole.model.parameters(), ended.model.parameters(), strict=True):
        assert torch.equal(one, two)


def test_a_run_of_another_variant_is_not_resumed(tmp_path: Path) -> None:
    preset = dataclasses.replace(tiny.LANDSCAPE, steps=2)
    train(preset, VARIANTS["alibi-full"], tiny.data(), tmp_path)
    with pytest.raises(ValueError, match="was started with kind"):
        train(preset, VARIANTS["rotary-full"], tiny.data(), tmp_path, resume=True)
