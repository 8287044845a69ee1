"""What claims are measured on: the shipped models, the corpus, a text of the app's own, and records. Loaded when asked for."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

from txlviz import checkpoint as checkpoints
from txlviz import recorded
from txlviz.analysis import landscape_record
from txlviz.analysis.landscape_record import LandscapeRecord
from txlviz.checkpoint import CHECKPOINTS, Checkpoint
from txlviz.content import sections
from txlviz.data import Split, load_split
from txlviz.models.config import Kind
from txlviz.recorded import RecordError

PRESETS = {"2l": "wikitext2-2l", "4l": "wikitext2-4l"}
"""By the ending of a number's name."""
KINDS: tuple[Kind, ...] = ("xl", "vanilla")
LANDSCAPE = "landscape"


class Inputs:
    """Hands out what claims ask for.

    Args:
        folder: that holds the presets.
        data_dir: with ``wiki.{train,valid,test}.tokens``; None asks the hub.
        load: loads a checkpoint folder; a page hands in one that remembers.
    """

    def __init__(
        self, folder: Path = CHECKPOINTS, data_dir: Path | None = None, load: Callable[[Path], Checkpoint] = checkpoints.load
    ) -> None:
        self.folder, self._data_dir, self._load = folder, data_dir, load
        self._models: dict[str, Checkpoint] = {}

    def model(self, size: str, kind: str) -> Checkpoint:
        """``size`` is ``2l`` or ``4l``, ``kind`` ``xl`` or ``vanilla``."""
        return self._loaded(f"{PRESETS[size]}/{kind}")

    def pair(self, size: str) -> Mapping[str, Checkpoint]:
        """``xl`` and ``vanilla``."""
        return {kind: self.model(size, kind) for kind in KINDS}

    def weights(self, size: str) -> dict[str, str]:
        """The SHA-256 of both models' weights."""
        return {kind: model.weights_hash for kind, model in self.pair(size).items()}

    def record(self, size: str, file: str) -> dict[str, Any]:
        """A record beside a preset's checkpoints; RecordError where it is missing or of other weights."""
        return recorded.read(self.folder / PRESETS[size] / file, self.weights(size))

    def beside(self, file: str, size: str) -> dict[str, Any]:
        """A record beside the presets that was made with one of their pairs; RecordError as above."""
        return recorded.read(self.folder / file, self.weights(size))

    def variant(self, name: str) -> Checkpoint:
        """One of the landscape's models: the 2-layer preset with another position system, on a small budget."""
        return self._loaded(f"{LANDSCAPE}/{name}")

    def landscape_loss(self, name: str) -> float:
        """Nats a token on valid of a recorded run of the landscape; RecordError where it is missing."""
        self._run(name)
        return self._landscape.headline(name)["loss"]

    def landscape_loss_by_memory(self, name: str) -> dict[int, float]:
        """Nats a token on valid of a recorded run with recurrence, for every M that it was read with."""
        ways = {way.removeprefix("memory_"): one["loss"] for way, one in self._run(name)["ways"].items()}
        return {int(M): loss for M, loss in ways.items() if M.isdigit()}  # others move the window by less than a segment

    def landscape_memories(self) -> list[int]:
        """The M of the landscape's recurrent runs in training."""
        return list(self._landscape.settings["memory"]["lengths"])

    def landscape_perplexity(self, name: str, way: str) -> float:
        """Per word on valid, of a recorded run read in one of the ways that it was scored in."""
        return float(self._run(name)["ways"][way]["word_perplexity"])

    def _run(self, name: str) -> Mapping[str, Any]:
        if name not in self._landscape.runs:
            raise RecordError(f"{self.folder / LANDSCAPE / landscape_record.FILE}: it has no run {name!r} yet")
        return self._landscape.runs[name]

    @cached_property
    def _landscape(self) -> LandscapeRecord:
        return landscape_record.read(self.folder / LANDSCAPE)

    def _loaded(self, name: str) -> Checkpoint:
        if name not in self._models:
            self._models[name] = self._load(self.folder / name)
        return self._models[name]

    @cached_property
    def valid(self) -> Split:
        """The validation split of WikiText-2; CorpusError where it can't be had."""
        return load_split("valid", self._data_dir)

    @cached_property
    def text(self) -> str:
        """A text of some 170 tokens, written for the app: three segments of 64, a name in the first and in the third."""
        return next(iter(sections("stories").values()))
