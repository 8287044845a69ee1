"""Training on the echo task, in small."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch

from txlviz.tasks import EchoRun, EchoTask, Settings, Step, accuracy_by_position, train
from txlviz.tasks.training import Learned, attainable

TINY = Settings(segment_length=4, memory_length=4, n_layers=2, n_heads=2, d_model=16, d_inner=32, steps=4, batch_size=3, seed=1)


def test_a_small_transformer_xl_learns_to_look_back() -> None:
    """Seconds: a short delay, one layer and one look."""
    task = EchoTask(6, vocab=4)
    settings = Settings(segment_length=8, memory_length=8, n_layers=1, d_model=32, d_inner=64, batch_size=16, steps=400, seed=0)
    run, last = train(task, settings, early=True)
    assert last.step < 400
    assert accuracy_by_position(run.model, task, n_streams=64, n_segments=8).min() > task.best - 0.1
    assert not run.model.training


def test_the_same_seed_trains_the_same_model_and_leaves_the_random_state_alone() -> None:
    before = torch.get_rng_state()
    first, second, other = (train(EchoTask(5), replace(TINY, seed=seed))[0].model for seed in (1, 1, 2))
    assert torch.equal(torch.get_rng_state(), before)
    for name, weights in first.state_dict().items():
        assert torch.equal(weights, second.state_dict()[name])
    assert not torch.equal(first.embedding.weight, other.embedding.weight)


def test_steps_are_reported_and_an_exception_in_on_step_ends_the_run() -> None:
    seen: list[Step] = []
    train(EchoTask(5), TINY, seen.append)
    assert [step.step for step in seen] == [1, 2, 3, 4]
    assert all(step.loss > 0 and 0 <= step.accuracy <= 1 for step in seen)

    def stop(step: Step) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        train(EchoTask(5), TINY, stop)


def test_cooling_down_ends_the_run_with_ever_smaller_steps() -> None:
    run = EchoRun(EchoTask(5), replace(TINY, steps=100, warmup_steps=1))
    moved, before = [], [p.detach().clone() for p in run.model.parameters()]
    for step in run:
        now = [p.detach().clone() for p in run.model.parameters()]
        moved.append(max(float((a - b).abs().max()) for a, b in zip(now, before, strict=True)))
        before = now
        if step.step == 5:
            run.cool_down(10)
    assert len(moved) == 15
    assert max(moved[-2:]) < 0.5 * max(moved[:5])


def gradients(k: int, memory_length: int) -> list[torch.Tensor]:
    """Of the mean loss over the same two segments, in groups of k, after the same first two."""
    settings = replace(TINY, gradient_segments=k, memory_length=memory_length)
    run = EchoRun(EchoTask(3), settings)
    with torch.no_grad():
        for weights in run.model.parameters():
            weights.mul_(5)  # larger than at the start, so that the memory matters
    ids = torch.randint(16, (3, 4 * 4 + 1), generator=torch.Generator().manual_seed(9))
    memory = run._losses(ids[:, :9], ())[2]
    losses = []
    for at in range(8, 16, 4 * k):
        loss, _, memory = run._losses(ids[:, at : at + 4 * k + 1], memory)
        losses.append(loss)
    torch.stack(losses).mean().backward()
    return [weights.grad for weights in run.model.parameters() if weights.grad is not None]


def test_gradients_go_through_the_memory_of_k_segments_and_no_further() -> None:
    one, two = gradients(1, memory_length=4), gradients(2, memory_length=4)
    assert any(not torch.allclose(a, b, rtol=1e-3, atol=1e-6) for a, b in zip(one, two, strict=True))
    one, two = gradients(1, memory_length=0), gradients(2, memory_length=0)
    assert all(torch.allclose(a, b, rtol=1e-4, atol=1e-6) for a, b in zip(one, two, strict=True)), (
        "there is nothing to go through"
    )
    run = EchoRun(EchoTask(3), replace(TINY, gradient_segments=2))
    memory = run._losses(torch.zeros(3, 9, dtype=torch.long), ())[2]
    assert not any(layer.requires_grad for layer in memory), "cut off between groups"


def test_attainable_counts_the_positions_in_sight() -> None:
    task = EchoTask(40)
    assert attainable(task, 32, 64) == pytest.approx(task.best)
    assert attainable(task, 32, 0) == pytest.approx(task.chance)
    assert attainable(task, 32, 16) == pytest.approx((9 * task.best + 23 * task.chance) / 32)


def test_learned_needs_fifty_good_steps_and_something_to_learn() -> None:
    def says(accuracy: float, M: int, steps: int = 60) -> list[bool]:
        learned = Learned(EchoTask(40), Settings(memory_length=M))
        return [learned(Step(n, 1.0, accuracy, 0.0)) for n in range(1, steps + 1)]

    assert says(0.9, 64) == [False] * 49 + [True] * 11
    assert not any(says(0.8, 64))
    assert any(says(0.31, 16)), "9 of 32 positions are in sight"
    assert not any(says(0.9, 0)), "nothing is in sight"


@pytest.mark.parametrize("name", ["steps", "batch_size", "gradient_segments"])
def test_settings_below_one_are_refused(name: str) -> None:
    with pytest.raises(ValueError, match=name):
        Settings(**{name: 0})  # type: ignore[arg-type]
