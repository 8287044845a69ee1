"""The record of the echo test's experiments: what stands in the file, and how it is read back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from txlviz.models.config import Kind

FILE = "record.json"


@dataclass(frozen=True)
class Cell:
    """One model of the grid."""

    kind: Kind
    delay: int
    trained_memory: int
    seed: int
    steps: int
    learned: bool | None
    """None where there is nothing to learn: the source is in sight nowhere."""
    accuracy: dict[int, NDArray[np.float64]]
    """Test-time M to (position,) share of right answers."""


@dataclass(frozen=True)
class Relay:
    """One run of the relay experiment."""

    gradient_segments: int
    """(k) segments that gradients went through; 1 is stop-gradient, as in the paper."""
    memory: int
    seed: int
    steps: int
    segments_a_point: int
    learned: bool
    accuracy: NDArray[np.float64]
    """(position)"""
    curve: NDArray[np.float64]
    """(point) accuracy in training, each point over ``segments_a_point`` segments."""


@dataclass(frozen=True)
class Record:
    """All of the file."""

    samples: int
    """Answers behind each accuracy of a cell."""
    cells: tuple[Cell, ...]
    relay: tuple[Relay, ...]

    def cell(self, kind: Kind, delay: int, trained_memory: int = 0) -> Cell | None:
        """The model of the grid with these settings. None where it wasn't recorded."""
        wanted = (kind, delay, trained_memory if kind == "xl" else 0)
        return next((c for c in self.cells if (c.kind, c.delay, c.trained_memory) == wanted), None)

    def delays(self) -> tuple[int, ...]:
        """All D of the grid."""
        return tuple(sorted({cell.delay for cell in self.cells if cell.kind == "xl"}))

    def trained_memories(self) -> tuple[int, ...]:
        """All training M of the grid."""
        return tuple(sorted({cell.trained_memory for cell in self.cells if cell.kind == "xl"}))

    def tested_memories(self) -> tuple[int, ...]:
        """All test-time M of the grid."""
        return tuple(sorted({m for cell in self.cells if cell.kind == "xl" for m in cell.accuracy}))


def to_values(samples: int, cells: Sequence[Mapping[str, Any]], relay: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """What is written: the grid's accuracies as counts of right answers out of ``samples``, which is short and exact."""
    return {"samples": samples, "cells": [_counted(cell, samples) for cell in cells], "relay": list(relay)}


def _counted(cell: Mapping[str, Any], samples: int) -> dict[str, Any]:
    right = {m: [round(share * samples) for share in shares] for m, shares in cell["accuracy"].items()}
    return {**{name: value for name, value in cell.items() if name != "accuracy"}, "right": right}


def from_values(values: Mapping[str, Any]) -> Record:
    """The record from ``to_values``' mapping. ValueError where something is missing."""
    try:
        samples = int(values["samples"])
        cells = tuple(_cell(cell, samples) for cell in values["cells"])
        relay = tuple(
            Relay(**{**run, "accuracy": np.array(run["accuracy"]), "curve": np.array(run["curve"])}) for run in values["relay"]
        )
    except (KeyError, TypeError) as error:
        raise ValueError(f"the record of the echo test is incomplete ({error})") from error
    return Record(samples, cells, relay)


def _cell(values: Mapping[str, Any], samples: int) -> Cell:
    rest = {name: value for name, value in values.items() if name != "right"}
    return Cell(**rest, accuracy={int(m): np.array(counts) / samples for m, counts in values["right"].items()})
