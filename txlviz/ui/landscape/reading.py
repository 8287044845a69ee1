"""The text as the patterns show it: at most so many tokens, the selected one among them."""

from __future__ import annotations

from dataclasses import dataclass

from txlviz.ui import models
from txlviz.ui.landscape import controls
from txlviz.ui.session import Settings

MOST = 256
"""Inputs that a pattern shows."""


@dataclass(frozen=True)
class Reading:
    """What is read: the typed text, or a piece of it as a text of its own."""

    text: str
    tokens: tuple[str, ...]
    """The inputs, a newline first, as people read them."""
    first: int
    """Place in the whole text at which the piece's newline stands."""
    total: int
    """Inputs of the whole text."""
    place: int
    """The selected place, in the piece."""
    n_layers: int


def read(settings: Settings) -> Reading:
    """The text, or the piece that holds the selected token."""
    source = models.checkpoint(settings.preset, "xl")
    ids, N = source.inputs(settings.text), source.config.n_layers
    place = controls.selected(len(ids))
    if len(ids) <= MOST:
        return Reading(settings.text, tuple(source.tokenizer.show(ids)), 0, len(ids), place, N)
    first, end = _ends(source.tokenizer.show(ids), place)
    text = source.decode(ids[first + 1 : end])
    tokens = tuple(source.tokenizer.show(source.inputs(text)))
    return Reading(text, tokens, first, len(ids), min(place - first, len(tokens) - 1), N)


def _ends(tokens: list[str], place: int) -> tuple[int, int]:
    """First and last + 1 of at most ``MOST`` places around one, cut between words where there are any: so the piece by itself
    has the same tokens as in the text."""
    total = len(tokens)
    end = min(total, max(MOST, place + MOST // 4))
    while end < total and end > place + 1 and not tokens[end].startswith("␣"):
        end -= 1
    first = max(0, end - MOST)
    begin = first
    while first and begin + 1 < place and not tokens[begin + 1].startswith("␣"):
        begin += 1
    return (begin if first else 0), end
