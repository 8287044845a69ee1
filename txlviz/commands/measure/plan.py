"""All that is recorded: which command makes it, and the weights, the code and the other records that it rests on.

Training is left out: a card's scores are measured here, the weights beside it are given.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from txlviz.checkpoint import CARD, WEIGHTS
from txlviz.claims.inputs import KINDS, PRESETS
from txlviz.training.variants import SHIPPED

_COMMANDS = "txlviz.commands"
_MEASURE = f"{_COMMANDS}.measure"


@dataclass(frozen=True)
class Record:
    """One recorded file."""

    path: str
    """Below the folder of the checkpoints."""
    command: str
    """That makes it: what follows ``python -m txlviz``."""
    by: str
    """The module that measures. What it imports is found by ``source_digest``."""
    weights: Mapping[str, str]
    """The checkpoints' folders, by the names that the record has for their weights."""
    made_from: tuple[str, ...] = ()
    """The paths of other records that are read."""
    corpus: bool = False
    """Whether the corpus is needed."""
    runs: str | None = None
    """The folder that keeps what is done if the command is stopped, below ``runs``."""
    trains: bool = field(default=False, kw_only=True)
    """Whether small models are trained for it, which takes from ten minutes to hours."""


def _pair(preset: str) -> dict[str, str]:
    return {kind: f"{preset}/{kind}" for kind in KINDS}


def _of_pair(preset: str) -> list[Record]:
    """What is measured of both presets' models."""
    weights = _pair(preset)
    quick = Record(f"{preset}/prompts.json", f"measure prompts {preset}", f"{_MEASURE}.prompts", weights)
    on_corpus = [
        Record(f"{preset}/{name}.json", f"measure {name} {preset}", f"{_MEASURE}.{name}", weights, corpus=True, runs=runs)
        for name, runs in (("position", None), ("length", None), ("context", None), ("study", "study"))
    ]
    return [quick, *on_corpus]


def _clocks(preset: str) -> Record:
    return Record(f"{preset}/eval_speed.json", f"benchmark eval {preset}", f"{_COMMANDS}.benchmark", _pair(preset))


_SMALL, _LARGE = PRESETS["2l"], PRESETS["4l"]
_CARDS = tuple(
    Record(
        f"{preset}/{kind}/{CARD}",
        f"measure card {preset} {kind}",
        "txlviz.training.card_scores",
        {WEIGHTS: f"{preset}/{kind}"},
        corpus=True,
    )
    for preset in PRESETS.values()
    for kind in KINDS
)
_TRAINED = (
    Record(
        "landscape/record.json",
        "measure landscape",
        f"{_MEASURE}.landscape",
        {name: f"landscape/{name}" for name in SHIPPED},
        corpus=True,
        runs="landscape",
        trains=True,
    ),
    Record(
        "landscape/linformer.json",
        f"measure linformer {_SMALL}",
        f"{_MEASURE}.linformer",
        _pair(_SMALL),
        corpus=True,
        runs="linformer",
        trains=True,
    ),
    Record("tasks/echo/record.json", "measure echo", f"{_MEASURE}.echo", _pair("tasks/echo"), runs="echo", trains=True),
)
_CLAIMS = Record(
    "claims.json",
    "claim all --record",
    "txlviz.claims",
    {f"{preset}/{kind}": f"{preset}/{kind}" for preset in PRESETS.values() for kind in KINDS},
    made_from=(
        *(f"{preset}/{name}.json" for preset in PRESETS.values() for name in ("context", "study", "eval_speed")),
        "landscape/record.json",
        "landscape/linformer.json",
    ),
    corpus=True,
)

PLAN: tuple[Record, ...] = (
    *_CARDS,  # first, since they choose the M that others are measured with
    Record(f"{_LARGE}/start.json", "record start", f"{_COMMANDS}.record", _pair(_LARGE)),
    *(record for preset in PRESETS.values() for record in _of_pair(preset)),
    *_TRAINED,
    Record(f"{_LARGE}/attention.json", f"measure attention {_LARGE}", f"{_MEASURE}.attention", _pair(_LARGE)),
    *(_clocks(preset) for preset in PRESETS.values()),
    Record("landscape/cost.json", f"measure landscape-cost {_SMALL}", f"{_MEASURE}.landscape_cost", _pair(_SMALL)),
    _CLAIMS,
)
"""In the order in which they are measured: what a record is made from stands before it."""
