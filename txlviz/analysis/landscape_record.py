"""The record of the landscape's runs: what stands in ``checkpoints/landscape/record.json``."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from txlviz import recorded
from txlviz.checkpoint import CARD, WEIGHTS
from txlviz.recorded import RecordError

FILE = "record.json"


@dataclass(frozen=True)
class LandscapeRecord:
    """All runs that were recorded."""

    settings: Mapping[str, Any]
    """What all runs share: the preset's settings, ``lengths`` of the curve, ``memories``, ``split``, ``split_tokens``,
    ``words``, ``length_tokens``."""
    runs: Mapping[str, Mapping[str, Any]]
    """By name: what the run chose (``encoding``, ``attention``, ``recurrent``, ``half``, ``without``), ``parameters``,
    ``tokens`` read, ``targets`` learned from, ``curve`` and ``valid_curve`` (``tokens`` and ``loss``), and what
    ``variant_scores.scores`` measured."""

    def headline(self, name: str) -> dict[str, float]:
        """``loss``, ``token_perplexity`` and ``word_perplexity`` on all of the split, read in the way the run was trained."""
        run = self.runs[name]
        return dict(run["ways"][run["headline"]])


def weights(folder: Path) -> dict[str, str]:
    """The SHA-256 of each run's weights that stands in ``folder``, as its card says."""
    found = {}
    for card in sorted(folder.glob(f"*/{CARD}")):
        try:
            found[card.parent.name] = str(json.loads(card.read_text(encoding="utf-8"))["sha256"][WEIGHTS])
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise RecordError(f"{card}: it isn't a card that can be read ({error})") from error
    return found


def read(folder: Path) -> LandscapeRecord:
    """The record in ``folder``. RecordError where there is none of the weights that stand beside it."""
    values = recorded.read(folder / FILE, weights(folder))
    try:
        settings = values.pop("settings")
        return LandscapeRecord(settings, values)
    except KeyError as error:
        raise RecordError(f"{folder / FILE}: it isn't a record of the landscape's runs") from error


def write(folder: Path, record: LandscapeRecord, by: str | None = None, *, partly: bool = False) -> None:
    """Writes it, a line a run; ``by`` and ``partly`` as ``recorded.write`` has them."""
    values = {"settings": dict(record.settings), **record.runs}
    recorded.write(folder / FILE, values, weights(folder), by, partly=partly)
