"""The memory's rows, step by step, as the numbers that the stepper draws."""

from __future__ import annotations

from typing import Any

from txlviz.analysis.memory_rows import MemoryRows


def film(rows: MemoryRows, memory_length: int, selected: int) -> dict[str, Any]:
    """What the component is given, as JSON holds it. Places count in what the model reads (0 is the newline).

    Args:
        memory_length: M, which the rows may not have filled.
        selected: the place that all pages speak of; its segment is shown first.
    """
    starts = [step.start for step in rows.steps]
    return {
        "tokens": list(rows.inputs),
        "steps": [[step.start, step.stop, step.first_read, step.first_kept] for step in rows.steps],
        "earliest": rows.earliest.tolist(),
        "capacity": memory_length,
        "bytesPerRow": rows.d_model * 4,
        "width": rows.d_model,
        "checked": rows.rows_checked,
        "equal": rows.rows_equal,
        "selected": selected,
        "first": max(index for index, start in enumerate(starts) if start <= selected),
    }
