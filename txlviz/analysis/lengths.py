"""Which L and M a model is run with: one rule for all that reads a text."""

from __future__ import annotations

from txlviz.models import LanguageModel, RecurrentModel


def with_lengths(model: LanguageModel, segment_length: int | None, memory_length: int | None) -> tuple[LanguageModel, int, int]:
    """The model set to M (its weights shared, not copied), L, and M.

    Args:
        segment_length: L, at least 1; None takes the trained length.
        memory_length: M, at least 0; None takes the model's own ``mem_len``. The vanilla model has none (None or 0).

    Raises:
        ValueError: a length doesn't fit the model.
    """
    length = model.config.segment_length if segment_length is None else segment_length
    if length < 1:
        raise ValueError(f"the segment length is {length}; it must be at least 1")
    if isinstance(model, RecurrentModel) and model.has_memory:
        rows = model.mem_len if memory_length is None else memory_length
        return model.with_mem_len(rows), length, rows
    if memory_length:
        raise ValueError("the vanilla model has no memory: the memory length must be 0")
    return model, length, 0
