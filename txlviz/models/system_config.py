"""The settings of a model whose positions and attention pattern are chosen, not those of one of the two models."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from txlviz.models.config import ModelConfig

ENCODINGS = ("none", "sinusoids", "learned", "shaw", "xl", "rotary", "alibi")
"""Position systems, by the names of ``txlviz.models.encodings``."""
ATTENTIONS = ("causal", "longformer")
"""Patterns: every key up to the query's own, or a window of them and global tokens."""


@dataclass(frozen=True)
class SystemConfig(ModelConfig):
    """``ModelConfig`` of a ``SystemTransformer``: kind ``"system"``, with the choices below."""

    KINDS: ClassVar[tuple[str, ...]] = ("system",)

    encoding: str = "none"
    """One of ``ENCODINGS``."""
    attention: str = "causal"
    """One of ``ATTENTIONS``."""
    window: int = 32
    """Longformer: tokens before the query that it sees."""
    n_global: int = 1
    """Longformer: tokens at the start of the segment that all later ones see."""
    without: tuple[str, ...] = ()
    """Encoding ``xl``: terms of the score that the model is built without, of "a" to "d"."""
    recurrent: bool = False
    """Whether a memory of ``mem_len`` rows a layer is carried from segment to segment."""
    clip: int = 16
    """Encoding ``shaw``: the largest distance that has vectors of its own (k of Shaw et al. 2018, who use 16)."""

    @property
    def longest(self) -> int | None:
        """Tokens of the longest segment that can be read; None: any. Learned positions end with the trained length."""
        return self.segment_length if self.encoding == "learned" else None

    def __post_init__(self) -> None:
        object.__setattr__(self, "without", tuple(self.without))  # JSON has lists only
        super().__post_init__()
        for name, known in (("encoding", ENCODINGS), ("attention", ATTENTIONS)):
            if getattr(self, name) not in known:
                raise ValueError(f"{name} is {getattr(self, name)!r}; it must be one of {', '.join(known)}")
        for name, least in (("window", 0), ("n_global", 0), ("clip", 1)):
            self._check_whole(name, least=least)
        if not isinstance(self.recurrent, bool):
            raise ValueError(f"recurrent is {self.recurrent!r}; it must be true or false")
        if self.mem_len and not self.recurrent:
            raise ValueError("without recurrence there is no memory: mem_len must be 0")
        if self.recurrent and self.attention == "longformer":
            raise ValueError("global tokens stand at the start of a text: the longformer pattern is for models without memory")
        if self.same_length or self.tie_uv or self.clamp_len > 0:
            raise ValueError("same_length, tie_uv and clamp_len are options of the Transformer-XL itself")
        if set(self.without) - set("abcd") or len(set(self.without)) != len(self.without):
            raise ValueError(f"without is {self.without!r}; it must hold each of 'a' to 'd' at most once")
        if self.without and self.encoding != "xl":
            raise ValueError("terms can be left out of the encoding 'xl' only")
        if self.encoding == "rotary" and self.d_head % 2:
            raise ValueError(f"rotary positions turn pairs of numbers: d_head is {self.d_head}, which is odd")
