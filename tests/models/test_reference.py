"""The numbers of the peer implementation, with its weights in our model."""

from __future__ import annotations

import pytest
import torch
from torch.testing import assert_close

from tests.models.reference import CASES, SEGMENTS, Reference, load
from tests.models.small import Keep, Recorded
from txlviz.models import Output


@pytest.fixture(scope="module", params=CASES)
def reference(request: pytest.FixtureRequest) -> Reference:
    return load(request.param)


def read_all(reference: Reference, *, recorded: bool = False) -> list[tuple[Output, list[Recorded]]]:
    """Our three segments, the memory carried."""
    memory, outputs = reference.initial_memory, []
    with torch.no_grad():
        for i in SEGMENTS:
            recorder = Keep() if recorded else None
            output = reference.model(reference.expected[f"s{i}.ids"], memory, recorder=recorder)
            memory = output.memory
            outputs.append((output, recorder.layers if recorder else []))
    return outputs


@pytest.mark.parametrize("recorded", [False, True], ids=["ordinary path", "traced path"])
def test_hidden_states_and_log_probabilities_are_the_peers(reference: Reference, recorded: bool) -> None:
    for i, (output, _) in enumerate(read_all(reference, recorded=recorded)):
        assert_close(output.hidden, reference.expected[f"s{i}.last_hidden"], atol=1e-4, rtol=0)
        log_probs = reference.model.logits(output.hidden).log_softmax(-1)
        assert_close(log_probs, reference.expected[f"s{i}.log_probs"], atol=1e-4, rtol=0)


def test_memories_are_the_peers(reference: Reference) -> None:
    for i, (output, _) in enumerate(read_all(reference)):
        for ours, peers in zip(output.memory, reference.layers(i, "memory"), strict=True):
            assert_close(ours, peers, atol=1e-4, rtol=0)


def test_attention_weights_are_the_peers(reference: Reference) -> None:
    for i, (_, layers) in enumerate(read_all(reference, recorded=True)):
        for ours, peers in zip(layers, reference.layers(i, "attention"), strict=True):
            assert_close(ours.rebuilt, peers, atol=1e-5, rtol=0)
            assert_close(ours.ordinary, peers, atol=1e-5, rtol=0)


def test_the_mean_loss_is_the_peers(reference: Reference) -> None:
    for i, (output, _) in enumerate(read_all(reference)):
        targets = reference.expected[f"s{i}.ids"].roll(-1, dims=1)
        nats = -reference.expected[f"s{i}.log_probs"].gather(-1, targets[..., None]).mean()
        assert_close(reference.model.mean_loss(output.hidden, targets), nats, atol=1e-4, rtol=0)
