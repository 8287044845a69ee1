"""Recorded losses against context: the same numbers as one pass a target and context, bands, and files that know each other."""

from __future__ import annotations

import json

import numpy as np
import pytest
import torch

from tests.analysis.small import TEXT, checkpoint
from txlviz.analysis import context_record
from txlviz.analysis.context import losses_by_context
from txlviz.analysis.context_record import flattens, losses_of, read, resampled, summary, targets_of, write
from txlviz.recorded import RecordError

CONTEXTS = (1, 2, 4, 8, 16, 32, 48)


@pytest.mark.parametrize("kind", ["xl", "vanilla"])
def test_the_losses_are_those_given_exactly_c_tokens(kind, monkeypatch):
    monkeypatch.setattr(context_record, "_TOKENS_AT_ONCE", 200)
    model = checkpoint(kind)
    ids = torch.tensor(model.encode(TEXT * 6))
    places = targets_of(len(ids), 48, 12)
    told: list[float] = []
    found = losses_of(model.model, ids, places, CONTEXTS, told.append)
    expected = losses_by_context(model.model, ids, CONTEXTS)[:, places - 48]
    np.testing.assert_allclose(found, expected, atol=1e-5)
    assert told == sorted(told)
    assert len(told) > 3
    assert told[-1] == pytest.approx(1.0)


def test_the_last_target_may_be_the_last_token():
    model = checkpoint("xl")
    ids = torch.tensor(model.encode(TEXT))
    places = np.array([60, len(ids) - 1])
    expected = losses_by_context(model.model, ids, (2, 16, 48))[:, places - 48]
    np.testing.assert_allclose(losses_of(model.model, ids, places, (2, 16, 48)), expected, atol=1e-5)


def test_targets_are_spread_and_have_enough_before_them():
    places = targets_of(300_000, 512, 4096)
    assert len(set(places.tolist())) == 4096
    assert places[0] == 512
    assert places[-1] < 300_000
    steps = np.diff(places)
    assert (steps >= 16).all()
    assert (steps > 16).sum() == 3  # four stretches
    assert targets_of(512 + 16 * 5, 512, 5)[-1] < 512 + 16 * 5
    with pytest.raises(ValueError, match="has 591 tokens; 592 are needed for 5 targets"):
        targets_of(591, 512, 5)


def test_where_the_curve_gets_flat():
    contexts = [1, 2, 4, 8, 16]
    assert flattens([5, 4, 3.005, 3.0, 3.0], contexts) == 4
    assert flattens([5, 4, 3.01, 3.0, 2.9], contexts) == 16  # a late fall counts
    assert flattens([3, 3.5, 3.5, 3.5, 3.5], contexts) == 1  # a rise doesn't
    assert flattens([3.5, 3.4, 3.6, 3.3, 3.3], contexts, tolerance=0.2) == 2


def test_the_bootstrap_draws_runs_of_neighbours():
    rng = np.random.default_rng(1)
    apart = rng.normal(size=(2, 4000))
    together = np.repeat(apart[:, ::4], 4, axis=1)  # four neighbours say the same
    one, four = (resampled(table).std(axis=0) for table in (apart, together))
    np.testing.assert_allclose(one, apart.std(axis=1) / np.sqrt(4000), rtol=0.1)
    np.testing.assert_allclose(four, together.std(axis=1) / np.sqrt(1000), rtol=0.1)
    np.testing.assert_array_equal(resampled(apart), resampled(apart))
    np.testing.assert_allclose(resampled(apart + 3) - resampled(apart), 3)
    same = np.stack([apart[0], apart[0] + 1])
    np.testing.assert_allclose(np.diff(resampled(same), axis=1), 1)  # all contexts share the draws


def test_the_summary():
    table = np.random.default_rng(0).normal(4, 1, size=(3, 256)) - np.array([[0.0], [1.0], [1.0]])
    found = summary(table, [1, 16, 32])
    np.testing.assert_allclose(found["mean"], table.mean(axis=1), rtol=1e-4)
    assert all(low < mean < high for low, mean, high in zip(found["low"], found["mean"], found["high"], strict=True))
    assert found["flat"] in (16, 32)
    assert found["flat_low_high"][0] >= 16


@pytest.fixture
def written(tmp_path):
    losses = {kind: np.random.default_rng(0).uniform(0, 9, (2, 5)) for kind in ("xl", "vanilla")}
    write(tmp_path, {"contexts": [1, 16], "split": "valid"}, losses, {"xl": "a", "vanilla": "b"})
    return tmp_path, losses


def test_what_is_written_is_read(written):
    folder, losses = written
    found = read(folder, {"xl": "a", "vanilla": "b"})
    assert found.contexts == (1, 16)
    assert found.facts["split"] == "valid"
    for kind, table in losses.items():
        assert found.losses[kind].dtype == np.float32
        np.testing.assert_allclose(found.losses[kind], table, atol=0.004)


def test_files_that_do_not_belong_together_are_refused(written):
    folder, _ = written
    weights = {"xl": "a", "vanilla": "b"}
    with pytest.raises(RecordError, match="other weights"):
        read(folder, weights | {"xl": "c"})
    path = folder / context_record.LOSSES
    data = path.read_bytes()
    path.write_bytes(data[:-1] + b"\0")
    with pytest.raises(RecordError, match="aren't the losses"):
        read(folder, weights)
    path.unlink()
    with pytest.raises(RecordError, match="no losses that can be read"):
        read(folder, weights)
    path.write_bytes(data)
    facts = json.loads((folder / context_record.FACTS).read_text())
    del facts["contexts"]
    (folder / context_record.FACTS).write_text(json.dumps(facts))
    with pytest.raises(RecordError, match="no losses that can be read"):
        read(folder, weights)
