"""What the stepper is given."""

from __future__ import annotations

import json

from tests.analysis.small import TEXT, checkpoint
from txlviz.analysis.memory_rows import memory_rows
from txlviz.figures.memory_rows import film


def test_it_is_the_runs_steps_and_begins_with_the_selected_tokens_segment() -> None:
    rows = memory_rows(checkpoint("xl"), TEXT[:160], 8, 11)
    shown = json.loads(json.dumps(film(rows, 11, 17)))
    assert shown["tokens"] == list(rows.inputs)
    assert shown["steps"][2] == [16, 24, 5, 13]
    assert shown["first"] == 2
    assert shown["capacity"] == 11
    assert shown["bytesPerRow"] == 24 * 4
    assert shown["earliest"] == rows.earliest.tolist()
    assert shown["checked"] == shown["equal"] > 0
    assert film(rows, 11, 0)["first"] == 0
