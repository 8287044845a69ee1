"""Small models with a chosen position system, for tests."""

from __future__ import annotations

from typing import Any

from tests.models.small import VOCABULARY, randomised
from txlviz.models import SystemConfig, SystemTransformer
from txlviz.models.encodings import ENCODINGS, PositionSystem

SIZES: dict[str, Any] = {"vocab_size": VOCABULARY, "n_layers": 2, "n_heads": 2, "d_model": 16, "d_inner": 24}


def config(encoding: str, *, recurrent: bool = False, **changes: Any) -> SystemConfig:
    """Two layers, two heads, width 16, segments of 16, Shaw's tables to distance 4; memory 6 with recurrence."""
    values = SIZES | {"segment_length": 16, "clip": 4, "recurrent": recurrent, "mem_len": 6 if recurrent else 0} | changes
    return SystemConfig("system", encoding=encoding, **values)


def system(encoding: str, *, recurrent: bool = False, **changes: Any) -> SystemTransformer:
    """A small model in eval mode, its weights large enough to show."""
    return randomised(SystemTransformer(config(encoding, recurrent=recurrent, **changes)))


def positions(encoding: str, **changes: Any) -> PositionSystem:
    """The position system of a first layer, with random weights, in float64."""
    made = config(encoding, **changes)
    return randomised(ENCODINGS[encoding](made, 0)).double()
