"""Loss against context: exactly c tokens, whatever stands before them."""

from __future__ import annotations

import numpy as np
import pytest
import torch
import torch.nn.functional as F

import txlviz
from tests.analysis.small import TEXT, checkpoint
from txlviz.analysis import context
from txlviz.analysis.context import losses_by_context

CONTEXTS = (1, 2, 3, 7, 16, 24)


@pytest.fixture(params=["xl", "vanilla"])
def model(request):
    return checkpoint(request.param)


@pytest.fixture
def ids(model):
    return torch.tensor([model.tokenizer.newline, *model.encode(TEXT)])


@torch.inference_mode()
def one_pass(model, before, target):
    """The definition: the model reads ``before`` and nothing else."""
    hidden = model.model(before[None]).hidden[0, -1]
    return float(F.cross_entropy(model.model.logits(hidden), target))


def test_it_is_one_pass_over_exactly_c_tokens(model, ids, monkeypatch):
    monkeypatch.setattr(context, "_TOKENS_AT_ONCE", 100)  # several batches, the last one short
    found = losses_by_context(model.model, ids, CONTEXTS)
    expected = [[one_pass(model, ids[t - c : t], ids[t]) for t in range(24, len(ids))] for c in CONTEXTS]
    assert found.shape == (len(CONTEXTS), len(ids) - 24)
    np.testing.assert_allclose(found, expected, atol=1e-5)


def test_tokens_further_back_can_be_anything(model, ids):
    found = losses_by_context(model.model, ids, [7], targets=1)
    other = ids.clone()
    other[:-8] = (other[:-8] + 5) % model.config.vocab_size
    assert losses_by_context(model.model, other, [7], targets=1).tobytes() == found.tobytes()
    other[-8] = (other[-8] + 5) % model.config.vocab_size
    assert losses_by_context(model.model, other, [7], targets=1).tobytes() != found.tobytes()


def test_the_text_has_a_newline_before_it(model):
    found = txlviz.loss_by_context(model, TEXT, contexts=[1, 4])
    ids = model.encode(TEXT)
    assert found.shape == (2, len(ids) + 1 - 4)
    first = [model.tokenizer.newline, *ids[:3]]
    np.testing.assert_allclose(found[1, 0], one_pass(model, torch.tensor(first), torch.tensor(ids[3])), atol=1e-5)


def test_contexts_may_come_in_any_order(model, ids):
    there, back = losses_by_context(model.model, ids, [2, 9]), losses_by_context(model.model, ids, [9, 2])
    np.testing.assert_allclose(there, back[::-1], atol=1e-6)


def test_only_the_last_targets(model, ids):
    np.testing.assert_allclose(
        losses_by_context(model.model, ids, CONTEXTS, targets=5),
        losses_by_context(model.model, ids, CONTEXTS)[:, -5:],
        atol=1e-5,
    )


def test_progress_ends_at_the_whole(model, ids, monkeypatch):
    monkeypatch.setattr(context, "_TOKENS_AT_ONCE", 100)
    told: list[float] = []
    losses_by_context(model.model, ids, CONTEXTS, progress=told.append)
    assert told == sorted(told)
    assert len(told) > 3
    assert told[-1] == 1.0


def test_what_progress_raises_ends_the_work(model, ids):
    def stop(share: float) -> None:
        raise InterruptedError

    with pytest.raises(InterruptedError):
        losses_by_context(model.model, ids, CONTEXTS, progress=stop)


def test_a_text_that_is_too_short(model):
    ids = torch.tensor([model.tokenizer.newline, *model.encode("the mill")])
    assert losses_by_context(model.model, ids, [len(ids) - 1]).shape == (1, 1)
    with pytest.raises(ValueError, match=f"too short: {len(ids) + 1} tokens are needed .* it has {len(ids)}"):
        losses_by_context(model.model, ids, [len(ids)])
    with pytest.raises(ValueError, match="too short"):
        txlviz.loss_by_context(model, "", contexts=[1])
    with pytest.raises(ValueError, match="too short"):
        losses_by_context(model.model, ids, [2], targets=len(ids) - 1)


@pytest.mark.parametrize("contexts", [[], [0], [4, -1]])
def test_contexts_that_make_no_sense(model, ids, contexts):
    with pytest.raises(ValueError, match="at least 1"):
        losses_by_context(model.model, ids, contexts)
