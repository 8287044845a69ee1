"""The record of the experiments: its form, and that what is shipped is true."""

from __future__ import annotations

import numpy as np
import pytest

from txlviz import recorded
from txlviz.tasks import EchoTask, grid, in_sight, record, relay, shipped


@pytest.fixture(scope="module")
def shipped_record() -> record.Record:
    weights = {kind: shipped.weights_hash(kind) for kind in ("xl", "vanilla")}
    return record.from_values(recorded.read(shipped.FOLDER / record.FILE, weights))


def cell(learned: bool | None = True) -> dict[str, object]:
    accuracy = {"0": [0.0625, 0.0625], "8": [0.0625, 0.9062]}
    return {
        "kind": "xl",
        "delay": 10,
        "trained_memory": 8,
        "seed": 1,
        "steps": 7,
        "learned": learned,
        "accuracy": accuracy,
    }


def test_a_record_is_read_as_it_was_written() -> None:
    run = {"gradient_segments": 2, "memory": 8, "seed": 0, "steps": 5, "segments_a_point": 4, "learned": False}
    values = record.to_values(1024, [cell(), cell(None)], [{**run, "accuracy": [0.5], "curve": [0.1, 0.2]}])
    assert values["cells"][0]["right"] == {"0": [64, 64], "8": [64, 928]}
    read = record.from_values(values)
    found = read.cell("xl", 10, 8)
    assert found is not None
    np.testing.assert_allclose(found.accuracy[8], [0.0625, 0.90625])
    assert (found.learned, read.cells[1].learned) == (True, None)
    assert read.cell("xl", 10, 9) is read.cell("vanilla", 10) is None
    assert read.relay[0].curve.tolist() == [0.1, 0.2]
    assert (read.delays(), read.trained_memories(), read.tested_memories()) == ((10,), (8,), (0, 8))


@pytest.mark.parametrize("missing", ["samples", "cells", "relay"])
def test_an_incomplete_record_is_refused(missing: str) -> None:
    values = record.to_values(1024, [cell()], [])
    del values[missing]
    with pytest.raises(ValueError, match="incomplete"):
        record.from_values(values)


def test_the_whole_grid_is_recorded(shipped_record: record.Record) -> None:
    assert {(c.kind, c.delay, c.trained_memory) for c in shipped_record.cells} == set(grid.cells())
    assert len(shipped_record.cells) == len(grid.cells())
    assert {(run.gradient_segments, run.seed, run.memory) for run in shipped_record.relay} == set(relay.runs())
    assert shipped_record.tested_memories() == grid.TESTED_M
    assert (shipped.FOLDER / record.FILE).stat().st_size < 200_000


def test_no_recorded_model_answers_out_of_sight_and_all_that_learned_answer_in_sight(shipped_record: record.Record) -> None:
    """With the M of its training: what "learned" means. Beyond it, a reach that was never trained may fail."""
    for one in shipped_record.cells:
        task = EchoTask(one.delay)
        for M, shares in one.accuracy.items():
            seen = in_sight(one.delay, len(shares), M)
            # Symbols come back every D tokens, so that chance is measured on fewer draws than answers.
            assert shares[~seen].max(initial=0) < 0.2, (one.kind, one.delay, one.trained_memory, M)
            if one.trained_memory == M:
                assert one.learned == grid.has_learned(shares, task, M)
                assert (one.learned is None) == (not seen.any())


def test_the_shipped_models_stand_in_the_grid(shipped_record: record.Record) -> None:
    for name in ("xl", "vanilla_d20"):
        loaded = shipped.load(name)
        M = loaded.card["settings"]["memory_length"]
        found = shipped_record.cell(loaded.model.config.kind, loaded.task.delay, M)
        assert found is not None
        np.testing.assert_allclose(found.accuracy[M], grid.measured(loaded.model, loaded.task, M), atol=2 / 1024)


def test_stop_gradient_does_not_learn_to_relay_and_gradients_through_the_memory_can(shipped_record: record.Record) -> None:
    """What the page reports; the control shows that the task as such is easy."""
    learned = {
        (k, M): [run.learned for run in shipped_record.relay if (run.gradient_segments, run.memory) == (k, M)]
        for k, M in {(run.gradient_segments, run.memory) for run in shipped_record.relay}
    }
    assert all(learned[1, relay.CONTROL])
    assert not any(learned[1, relay.MEMORY])
    assert all(any(learned[k, relay.MEMORY]) for k in (2, 3, 4))
    counts = [sum(learned[k, relay.MEMORY]) for k in (2, 3, 4)]
    assert counts == sorted(counts, reverse=True), "more is not better"
    need, reach = relay.DELAY - 1, relay.MEMORY + relay.LENGTH - 1
    assert reach < need <= relay.MEMORY + relay.LENGTH
