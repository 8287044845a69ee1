"""Every record in ``checkpoints/`` is one of the weights beside it, and every recorded file stands in the plan."""

from __future__ import annotations

from pathlib import Path

import pytest

from txlviz.checkpoint import CARD, CHECKPOINTS, CONFIG, TOKENIZER
from txlviz.commands.measure.plan import PLAN, Record
from txlviz.commands.measure.stale import mismatch


@pytest.mark.parametrize("record", PLAN, ids=lambda record: record.path)
def test_it_is_a_record_of_the_shipped_weights(record: Record) -> None:
    assert mismatch(record, CHECKPOINTS) is None, f"make it anew: python -m txlviz {record.command}"


def test_all_recorded_files_are_planned() -> None:
    trained = {CARD, CONFIG, TOKENIZER}
    files = {path.relative_to(CHECKPOINTS) for path in CHECKPOINTS.rglob("*.json") if path.name not in trained}
    assert files == {Path(record.path) for record in PLAN if not record.path.endswith(CARD)}


def test_what_a_record_is_made_from_is_measured_before() -> None:
    paths = [record.path for record in PLAN]
    assert len(set(paths)) == len(paths)
    for at, record in enumerate(PLAN):
        assert set(record.made_from) <= set(paths[:at])
