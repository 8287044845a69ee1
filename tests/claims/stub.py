"""Inputs of small random models and a short text, so that measurements run in a moment."""

from __future__ import annotations

from typing import Any

from tests.analysis.small import TEXT, checkpoint
from txlviz.checkpoint import Checkpoint
from txlviz.claims import Inputs
from txlviz.data import Split

LAYERS = {"2l": 2, "4l": 4}


class Small(Inputs):
    """Segments of 16; ``records`` are handed out by file, ``losses`` by run."""

    def __init__(self, records: dict[str, dict[str, Any]] | None = None, losses: dict[str, float] | None = None) -> None:
        super().__init__()
        self.records, self.losses = records or {}, losses or {}

    def model(self, size: str, kind: str) -> Checkpoint:
        return checkpoint(kind, LAYERS[size])  # type: ignore[arg-type]

    def variant(self, name: str) -> Checkpoint:
        return checkpoint("vanilla", 2)

    def record(self, size: str, file: str) -> dict[str, Any]:
        return self.records[file]

    def landscape_loss(self, name: str) -> float:
        return self.losses[name]

    def landscape_loss_by_memory(self, name: str) -> dict[int, float]:
        return {0: 5.0, 128: 4.0, 256: 3.5}

    def landscape_memories(self) -> list[int]:
        return [128]

    def landscape_perplexity(self, name: str, way: str) -> float:
        return self.losses[f"{name} {way}"]

    @property
    def valid(self) -> Split:  # type: ignore[override]
        return Split("valid", TEXT, len(TEXT.split()), True)

    @property
    def text(self) -> str:  # type: ignore[override]
        return TEXT
