"""What all lenses share of one selected token: its place, what can reach it, and the numbers of the span."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

import txlviz
from txlviz.analysis.reach import first_visible, reachable
from txlviz.analysis.spans import memory_span
from txlviz.figures.cone import Window, window
from txlviz.ui import models, session


@dataclass(frozen=True)
class Facts:
    """One token of one text under one model."""

    model: txlviz.Checkpoint
    text: str
    tokens: tuple[str, ...]
    """A newline, then the text's tokens, as people read them."""
    place: int
    L: int
    M: int
    """0 for the vanilla model."""
    reach: npt.NDArray[np.bool_]
    """(N + 1, T)"""
    sees: npt.NDArray[np.int64]
    """(T,) the oldest place that each place's queries see."""
    shown: Window

    @property
    def n_layers(self) -> int:
        """(N)"""
        return self.model.config.n_layers

    @property
    def segment(self) -> int:
        """That the token is in, from 0."""
        return self.place // self.L

    @property
    def start(self) -> int:
        """Of the token's segment."""
        return self.segment * self.L

    @property
    def position(self) -> int:
        """(p) in the segment."""
        return self.place - self.start

    @property
    def furthest(self) -> int:
        """The furthest place that can reach the token."""
        return int(self.reach[0].argmax())

    @property
    def span(self) -> int:
        """Tokens back, memories full."""
        config = self.model.config
        return int(memory_span(config.n_layers, self.L, self.M, same_length=config.same_length)[-1, self.position])


def facts(settings: session.Settings, kind: models.Kind) -> Facts:
    """For the selected token; where none is selected, for the last one."""
    model = models.checkpoint(settings.preset, kind)
    tokens = tuple(model.tokenizer.show(model.inputs(settings.text)))
    L, M, total = settings.segment_length, settings.memory_length if kind == "xl" else 0, len(tokens)
    place = session.selected_token()
    if place is None or not 0 <= place < total:
        place = total - 1
    same_length = model.config.same_length
    reach = reachable(model.config.n_layers, L, M, place, total, same_length=same_length)
    sees = first_visible(L, M, total, same_length=same_length)
    return Facts(model, settings.text, tokens, place, L, M, reach, sees, window(int(reach[0].argmax()), place, L, total))
