"""The settings of one model: everything needed to build it again before its weights are read."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, Self

Kind = Literal["xl", "vanilla"]


@dataclass(frozen=True)
class ModelConfig:
    """Sizes and options of a model. Letters in brackets are those used in shape comments everywhere."""

    KINDS: ClassVar[tuple[str, ...]] = ("xl", "vanilla")

    kind: Kind | Literal["system"]
    """``"xl"`` for the Transformer-XL, ``"vanilla"`` for the segment Transformer without memory. A ``SystemConfig``:
    ``"system"``."""
    vocab_size: int
    """(V) entries of the tokenizer."""
    n_layers: int
    """(N) blocks."""
    n_heads: int
    """(H) attention heads in each block."""
    d_model: int
    """(D) width of the hidden states and of the embeddings."""
    d_inner: int
    """Width inside the feed-forward layer."""
    d_head: int = 0
    """Width of one head; 0 means ``d_model / n_heads``."""
    segment_length: int = 64
    """(L) tokens in a training segment. A model accepts any length; this is what it has seen."""
    mem_len: int = 0
    """(M) rows of each layer's input that are kept for the next segment. 0 keeps none."""
    same_length: bool = False
    """Every query sees at most the M keys before it and itself, so that all see the same number."""
    clamp_len: int = -1
    """Distances above this share one position vector; 0 or less means no limit."""
    tie_uv: bool = False
    """One u and one v for all layers, instead of one pair a layer."""
    dropout: float = 0.0
    """On embeddings, on what each sub-layer adds, inside the feed-forward layer, and on the last hidden state."""
    attention_dropout: float = 0.0
    """On the attention weights."""
    causal: bool = True
    """Kept so that a request for a bidirectional model can be refused by name."""

    def __post_init__(self) -> None:
        if self.kind not in self.KINDS:
            raise ValueError(f"kind is {self.kind!r}; it must be {' or '.join(map(repr, self.KINDS))}")
        for name in ("causal", "same_length", "tie_uv"):
            if not isinstance(getattr(self, name), bool):
                raise ValueError(f"{name} is {getattr(self, name)!r}; it must be true or false")
        if not self.causal:
            raise ValueError(
                "a bidirectional model was asked for (causal=False), but the models here are causal: relative positions are "
                "defined for distances i - j >= 0 only, and a memory holds the past only"
            )
        for name in ("vocab_size", "n_layers", "n_heads", "d_model", "d_inner", "segment_length"):
            self._check_whole(name, least=1)
        for name in ("d_head", "mem_len"):
            self._check_whole(name, least=0)
        self._check_whole("clamp_len", least=-1)
        if self.kind == "vanilla" and self.mem_len:
            raise ValueError("the vanilla model has no memory: mem_len must be 0")
        if self.d_head == 0:
            if self.d_model % self.n_heads:
                raise ValueError(f"d_model ({self.d_model}) isn't a multiple of n_heads ({self.n_heads}): give d_head")
            object.__setattr__(self, "d_head", self.d_model // self.n_heads)
        for name in ("dropout", "attention_dropout"):
            value = getattr(self, name)
            if not isinstance(value, int | float) or not 0.0 <= value < 1.0:
                raise ValueError(f"{name} is {value!r}; it must be at least 0 and below 1")

    def _check_whole(self, name: str, least: int) -> None:
        value = getattr(self, name)
        if not isinstance(value, int) or isinstance(value, bool) or value < least:
            raise ValueError(f"{name} is {value!r}; it must be a whole number of at least {least}")

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON; ``from_dict`` reads them back."""
        return dataclasses.asdict(self)

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> Self:
        """Builds a config from ``to_dict``'s values. Unknown or missing names raise ValueError."""
        known = {field.name: field for field in dataclasses.fields(cls)}
        unknown = sorted(set(values) - set(known))
        if unknown:
            raise ValueError(f"unknown setting {unknown[0]!r}")
        missing = [name for name, field in known.items() if field.default is dataclasses.MISSING and name not in values]
        if missing:
            raise ValueError(f"the setting {missing[0]!r} is missing")
        return cls(**values)
