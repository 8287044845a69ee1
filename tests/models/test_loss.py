"""The loss in chunks, and token by token, against the definition."""

from __future__ import annotations

import math

import pytest
import torch
from torch import Tensor
from torch.testing import assert_close
from torch.utils._python_dispatch import TorchDispatchMode

from tests.models.small import VOCABULARY, Keep, either, random_ids, random_tensor, xl
from txlviz.models import LanguageModel, language_model

CHUNK = language_model._CHUNK
ROWS = [1, 3, CHUNK - 1, CHUNK, CHUNK + 1, 2 * CHUNK, 2 * CHUNK + 77]
KINDS = ["xl", "vanilla"]


def nats(model: LanguageModel, hidden: Tensor, targets: Tensor) -> Tensor:
    """-log p of each target, written out."""
    logits = hidden @ model.embedding.weight.T + model.softmax_bias
    return (logits.exp().sum(-1).log() - logits.gather(-1, targets[..., None]).squeeze(-1)).view_as(targets)


def with_gradients(model: LanguageModel, hidden: Tensor, loss: Tensor) -> list[Tensor]:
    """The loss, and its gradients for the hidden states, the matrix and the bias."""
    wanted = [hidden, model.embedding.weight, model.softmax_bias]
    return [loss.detach(), *torch.autograd.grad(loss, wanted)]


@pytest.mark.parametrize("rows", ROWS)
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64], ids=["float32", "float64"])
@pytest.mark.parametrize("weight", [1.0, -2.5])
def test_the_mean_loss_and_its_gradients_are_those_of_the_definition(rows: int, dtype: torch.dtype, weight: float) -> None:
    model = xl().to(dtype)
    hidden, targets = random_tensor(1, rows, 16, dtype=dtype).requires_grad_(), random_ids(1, rows, seed=1)
    ours = with_gradients(model, hidden, weight * model.mean_loss(hidden, targets))
    expected = with_gradients(model, hidden, weight * nats(model, hidden, targets).mean())
    tolerance = 1e-5 if dtype == torch.float32 else 1e-12
    for x, y in zip(ours, expected, strict=True):
        assert x.dtype == dtype
        assert_close(x, y, atol=tolerance, rtol=tolerance)


@pytest.mark.parametrize("rows", [3, CHUNK + 1])
@pytest.mark.parametrize("mode", [torch.no_grad, torch.inference_mode])
def test_the_mean_loss_without_gradients_is_the_same(rows: int, mode: type[torch.no_grad]) -> None:
    model = xl()
    hidden, targets = random_tensor(2, rows, 16), random_ids(2, rows, seed=1)
    expected = nats(model, hidden, targets).mean()
    for training in (True, False):
        with mode():
            loss = model.train(training).mean_loss(hidden, targets)
        assert not loss.requires_grad
        assert_close(loss, expected.detach(), atol=1e-5, rtol=1e-5)


@pytest.mark.parametrize("frozen", ["hidden", "embedding.weight", "softmax_bias"])
def test_what_is_frozen_gets_no_gradient_and_the_others_the_same(frozen: str) -> None:
    model, targets = xl(), random_ids(1, CHUNK + 1)
    inputs = {"hidden": random_tensor(1, CHUNK + 1, 16).requires_grad_(), **dict(model.named_parameters())}
    inputs[frozen].requires_grad_(False)
    wanted = [inputs[name] for name in ("hidden", "embedding.weight", "softmax_bias") if name != frozen]
    ours = torch.autograd.grad(model.mean_loss(inputs["hidden"], targets), wanted)
    expected = torch.autograd.grad(nats(model, inputs["hidden"], targets).mean(), wanted)
    for x, y in zip(ours, expected, strict=True):
        assert_close(x, y, atol=1e-5, rtol=1e-5)


def test_losses_of_two_segments_add_up_in_one_backward() -> None:
    model, targets = xl(), random_ids(2, CHUNK, seed=1)
    hidden = random_tensor(2, CHUNK, 16).requires_grad_()
    ours = with_gradients(model, hidden, model.mean_loss(hidden, targets) + 3 * model.mean_loss(hidden, targets.flip(0)))
    expected = with_gradients(
        model, hidden, nats(model, hidden, targets).mean() + 3 * nats(model, hidden, targets.flip(0)).mean()
    )
    for x, y in zip(ours, expected, strict=True):
        assert_close(x, y, atol=1e-5, rtol=1e-5)


class Largest(TorchDispatchMode):
    """The largest number of elements of a tensor that an operation gave back."""

    numbers = 0

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):  # type: ignore[no-untyped-def]
        out = func(*args, **(kwargs or {}))
        for tensor in out if isinstance(out, (tuple, list)) else [out]:
            if isinstance(tensor, Tensor):
                self.numbers = max(self.numbers, tensor.numel())
        return out


@pytest.mark.parametrize("training", [False, True])
def test_no_table_of_all_rows_by_the_whole_vocabulary_is_held(training: bool) -> None:
    model, rows = xl(), 4 * CHUNK
    hidden, targets = random_tensor(1, rows, 16).requires_grad_(training), random_ids(1, rows, seed=1)
    with torch.set_grad_enabled(training), Largest() as chunked:
        loss = model.mean_loss(hidden, targets)
        if training:
            loss.backward()
    with Largest() as whole:
        nats(model, hidden, targets)
    assert whole.numbers == rows * VOCABULARY
    assert 0 < chunked.numbers <= max(CHUNK * VOCABULARY, hidden.numel())


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("traced", [False, True], ids=["ordinary path", "traced path"])
def test_the_output_holds_the_loss_of_these_targets_unshifted(kind: str, traced: bool) -> None:
    model, ids, targets = either(kind), random_ids(2, 7), random_ids(2, 7, seed=1)
    output = model(ids, targets=targets, recorder=Keep() if traced else None)
    assert_close(output.loss, nats(model, output.hidden, targets).mean(), atol=1e-5, rtol=1e-5)
    for shifted in (targets.roll(1, 1), targets.roll(-1, 1)):
        assert not torch.isclose(output.loss, nats(model, output.hidden, shifted).mean())


@pytest.mark.parametrize("kind", KINDS)
def test_without_targets_there_is_no_loss(kind: str) -> None:
    assert either(kind)(random_ids(2, 7)).loss is None


@pytest.mark.parametrize("rows", [1, CHUNK + 1, language_model._SCORED_ROWS + 1])
def test_token_losses_stand_in_the_order_of_the_targets(rows: int) -> None:
    model, hidden, targets = xl(), random_tensor(2, rows, 16), random_ids(2, rows, seed=1)
    with torch.no_grad():
        losses = model.token_losses(hidden, targets)
        assert losses.shape == (2, rows)
        assert_close(losses, nats(model, hidden, targets), atol=1e-5, rtol=1e-5)
        assert_close(losses.mean(), model.mean_loss(hidden, targets), atol=1e-5, rtol=1e-5)


def test_targets_that_cost_nothing_count_in_the_mean() -> None:
    model, hidden = xl(), random_tensor(1, 4, 16)
    with torch.no_grad():
        model.softmax_bias[7] = 1000.0
        losses = model.token_losses(hidden, torch.tensor([[7, 7, 7, 3]]))
        assert losses[0, :3].tolist() == [0.0, 0.0, 0.0]
        assert_close(model.mean_loss(hidden, torch.tensor([[7, 7, 7, 3]])), losses[0, 3] / 4)


def test_the_probabilities_sum_to_one_and_the_matrix_is_the_embeddings() -> None:
    model, hidden = xl(), random_tensor(2, 3, 16)
    logits = model.logits(hidden)
    assert logits.shape == (2, 3, VOCABULARY)
    assert_close(logits.softmax(-1).sum(-1), torch.ones(2, 3))
    assert_close(logits[0, 0, 5], hidden[0, 0] @ model.embedding.weight[5] + model.softmax_bias[5])


def test_an_untrained_model_is_as_unsure_as_chance() -> None:
    torch.manual_seed(0)
    model = type(xl())(xl().config)
    loss = model(random_ids(4, 8), targets=random_ids(4, 8, seed=1)).loss
    assert loss.item() == pytest.approx(math.log(VOCABULARY), abs=0.05)
