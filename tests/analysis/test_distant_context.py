"""Distant context shuffled, replaced, dropped: against runs of single texts that are made as the definition says."""

from __future__ import annotations

import numpy as np
import pytest
import torch
import torch.nn.functional as F

from tests.analysis.small import TEXT, checkpoint
from txlviz.analysis import distant_pieces as module
from txlviz.analysis.distant_context import distant_context, plan
from txlviz.analysis.distant_pieces import SEED, WAYS, piece_losses, pieces

OTHER = "the evening comes by the mill"
L = 16


@torch.inference_mode()
def loss(model, inputs, target, first, M):
    """One text, in segments that begin where L divides its place: the loss of what comes after it."""
    net = model.model.with_mem_len(M) if model.is_xl else model.model
    memory = None
    start = first
    while start < first + len(inputs):
        end = min((start // L + 1) * L, first + len(inputs))
        out = net(torch.tensor([inputs[start - first : end - first]]), memory)
        memory = out.memory or None
        start = end
    return float(F.cross_entropy(net.logits(out.hidden[0, -1]), torch.tensor(target)))


def changed(model, ids, t, d, way):
    """The inputs that the definition gives to target t, and the place where they begin."""
    b = max(0, t - d)
    if way == "dropped":
        return ids[b:t], b
    if way == "shuffled":
        order = np.random.default_rng([SEED, b]).permutation(b) if b else []
        return [*(ids[at] for at in order), *ids[b:t]], 0
    other = [model.tokenizer.newline, *model.encode(OTHER)]
    return [*(other[at % len(other)] for at in range(b)), *ids[b:t]], 0


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(("kind", "M"), [("xl", 16), ("xl", 5), ("xl", 0), ("vanilla", 0)])
def test_it_is_the_definition(kind, M, way, monkeypatch):
    monkeypatch.setattr(module, "_ROWS_AT_ONCE", 600)  # several pieces
    model = checkpoint(kind)
    ids = [model.tokenizer.newline, *model.encode(TEXT)]
    targets, distances = (5, 30, 31, 48, 49, 66), (1, 3, 16, 17, 40, 100)
    found = distant_context(model, TEXT, L, M, way=way, targets=targets, distances=distances, other=OTHER)
    for column, t in enumerate(targets):
        assert found.original[column] == pytest.approx(loss(model, ids[:t], ids[t], 0, M), abs=2e-5)
        for row, d in enumerate(distances):
            inputs, first = changed(model, ids, t, d, way)
            assert found.changed[row, column] == pytest.approx(loss(model, inputs, ids[t], first, M), abs=2e-5), (t, d)
    np.testing.assert_array_equal(found.change, found.changed - found.original)
    assert np.abs(found.change[0, [1, 2, 5]]).min() > 1e-4
    if M:
        assert np.abs(found.change[0]).min() > 1e-5
    else:  # place 49 is read from the first of a segment
        assert not found.change[:, 4].any()
    assert not found.change[-1].any()  # nothing stands that far back


@pytest.mark.parametrize("way", WAYS)
def test_vanilla_beyond_its_segment_changes_in_no_bit(way):
    model = checkpoint("vanilla")
    targets = tuple(range(40, 70))
    found = distant_context(model, TEXT, L, 0, way=way, targets=targets, distances=(1, 8, 16, 32), other=OTHER)
    position = (np.array(targets) - 1) % L
    for row, d in enumerate((1, 8, 16, 32)):
        blind = position < d
        assert not found.change[row, blind].any()
        assert (found.change[row, ~blind] != 0).mean() > 0.9 if (~blind).any() else d >= L


def test_progress_reaches_the_whole_and_may_end_the_work(monkeypatch):
    monkeypatch.setattr(module, "_ROWS_AT_ONCE", 100)
    asked = {"way": "shuffled", "targets": (40, 41, 42), "distances": (4, 8)}
    told: list[float] = []
    distant_context(checkpoint("xl"), TEXT, L, 16, **asked, progress=told.append)
    assert told == sorted(told)
    assert len(told) > 2
    assert told[-1] == 1.0

    def stop(share: float) -> None:
        raise InterruptedError

    with pytest.raises(InterruptedError):
        distant_context(checkpoint("xl"), TEXT, L, 16, **asked, progress=stop)


def test_a_piece_can_be_ended_between_segments():
    def stop() -> None:
        raise InterruptedError

    with pytest.raises(InterruptedError):
        piece_losses(checkpoint("xl"), TEXT, L, 16, way="shuffled", targets=(60,), distances=(4,), bounds=(56,), tick=stop)


def test_pieces_hold_each_run_once():
    targets, distances = tuple(range(40, 60, 4)), (4, 8, 16)
    found = pieces(checkpoint("xl"), TEXT, L, 16, way="dropped", targets=targets, distances=distances)
    bounds = [b for piece in found for b in piece]
    assert sorted(bounds) == sorted({t - d for t in targets for d in distances})
    assert all(len({b % L for b in piece}) == 1 for piece in found)


@pytest.mark.parametrize("n", [1, 2, 5, 60, 166, 256, 600, 2000])
def test_the_plan(n):
    targets, distances = plan(n)
    if n == 1:
        assert (targets, distances) == ((), ())
        return
    assert targets[-1] == n
    assert targets[0] > max(distances)
    assert distances == tuple(sorted(distances))
    assert len({t - d for t in targets for d in distances}) <= 84
    assert n < 100 or len(targets) >= 20
    assert n < 200 or {64, 128}.issubset(distances) or n == 2000


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"way": "burnt"}, "no way 'burnt'"),
        ({"targets": ()}, "targets must be places"),
        ({"targets": (0,)}, "targets must be places"),
        ({"targets": (9999,)}, "targets must be places"),
        ({"distances": (0,)}, "at least 1"),
        ({"distances": ()}, "at least 1"),
        ({"text": "\ud800"}, "half a character|surrogate|encode"),
    ],
)
def test_what_makes_no_sense(changes, message):
    asked = {"text": TEXT, "way": "dropped", "targets": (40,), "distances": (4,)} | changes
    text = asked.pop("text")
    with pytest.raises(ValueError, match=message):
        distant_context(checkpoint("xl"), text, L, 16, **asked)
