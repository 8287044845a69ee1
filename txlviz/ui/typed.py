"""What a person typed, checked before a model sees it. No Streamlit here: text in, text and a verdict out."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from typing import Literal, Protocol

TOKEN_LIMIT = 2_000

Problem = Literal["empty", "half_character", "too_long"]


class Encoder(Protocol):
    """The part of a checkpoint that this needs."""

    def encode(self, text: str) -> list[int]:
        """Token ids; ValueError for a text that can't be encoded."""

    def decode(self, ids: list[int]) -> str:
        """The text of ids."""


@dataclass(frozen=True)
class Typed:
    """A text that may go to a model, or what is wrong with it."""

    text: str | None
    """What may be used: the whole text, its allowed first part, or None."""
    tokens: int
    """Tokens of the whole text."""
    problem: Problem | None = None


def check(text: str, encoder: Encoder) -> Typed:
    """The text, or its first 2,000 tokens, or the reason why there is none."""
    if not text.strip():
        return Typed(None, 0, "empty")
    try:
        ids = encoder.encode(text)
    except ValueError:
        return Typed(None, 0, "half_character")
    if len(ids) <= TOKEN_LIMIT:
        return Typed(text, len(ids))
    return Typed(_first_tokens(text, ids, encoder), len(ids), "too_long")


def _first_tokens(text: str, ids: list[int], encoder: Encoder) -> str:
    """The longest beginning of ``text`` found in whole characters that is at most the limit.

    A cut between tokens may fall into a character, and a word that is cut may be encoded in more tokens than the part of it
    that was cut off, so a few steps back may be needed.
    """
    for cut in range(TOKEN_LIMIT, 0, -1):
        part = encoder.decode(ids[:cut]).rstrip("�")
        if part and text.startswith(part) and len(encoder.encode(part)) <= TOKEN_LIMIT:
            return part
    return text[:1]


def other_script(text: str) -> bool:
    """Whether most letters are of another script than the one that the models have read."""
    letters = [character for character in text if character.isalpha()]
    return sum(unicodedata.name(letter, "").startswith("LATIN") for letter in letters) < len(letters) / 2
