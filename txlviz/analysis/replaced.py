"""Replace one token, run again, and see what changes: the measured side of the memory span.

Both runs have the same shapes, the same batch rows and the same number of threads, so that what can't depend on the token is
equal bit for bit.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from txlviz.analysis.hidden import HiddenStates, length_of, read
from txlviz.analysis.lengths import with_lengths
from txlviz.checkpoint import Checkpoint

Array = npt.NDArray[np.float64]

_NEUTRAL = (" the", " of")  # what takes a token's place; the second where the first stands there already


@dataclass(frozen=True)
class Changes:
    """What one replaced token changes in every hidden state."""

    size: Array
    """(N + 1, T) length of the change over the length of the hidden state itself; 0 only where every bit is equal. Row 0 is
    what the first layer reads, row n the output of layer n."""
    place: int
    """Of the replaced token; 0 is the newline before the text."""
    replacement: str
    """What was put there, as people read it."""


@torch.inference_mode()
def changes(
    checkpoint: Checkpoint,
    text: str,
    segment_length: int | None = None,
    memory_length: int | None = None,
    *,
    replaced: int,
    until: int | None = None,
) -> Changes:
    """The change of every hidden state when the token at the place ``replaced`` is another one.

    Args:
        segment_length: L; None takes the trained length.
        memory_length: M; None takes the model's own. The vanilla model has none (None or 0).
        replaced: counts in the model's inputs, where 0 is the newline before the text.
        until: (T) places to read; None: the whole text.

    Raises:
        ValueError: the place isn't in what is read, the text can't be encoded, or a setting doesn't fit the model.
    """
    model, L, M = with_lengths(checkpoint.model, segment_length, memory_length)
    ids = checkpoint.inputs(text)[:until]
    check(replaced, len(ids))
    one, other = neutral(checkpoint)
    other = other if ids[replaced] == one else one
    states, start = HiddenStates(model), replaced // L * L
    stream = torch.tensor([ids])
    before = read(states, stream, L, M)
    stream[0, replaced] = other
    after = read(states, stream, L, M, start=start, history=before)
    size = np.zeros((len(before), len(ids)))
    for n, (old, new) in enumerate(zip(before, after, strict=True)):
        size[n, start:] = relative(old[0, start:], new[0]).numpy()
    return Changes(size, replaced, checkpoint.tokenizer.show([other])[0])


def check(place: int, total: int) -> None:
    """ValueError where there is no such place."""
    if not 0 <= place < total:
        raise ValueError(f"there is no place {place} among the {total} that are read (they count from 0)")


def neutral(checkpoint: Checkpoint) -> tuple[int, int]:
    """The token that takes another's place, and the one where it stands there already."""
    one, other = (checkpoint.encode(word)[0] for word in _NEUTRAL)
    return one, other if other != one else (one + 1) % checkpoint.tokenizer.vocab_size


def relative(old: Tensor, new: Tensor) -> Tensor:
    """|new - old| / |old| of vectors (…, D), float64."""
    return length_of(new.double() - old.double()) / length_of(old).clamp_min(torch.finfo(torch.float64).tiny)
