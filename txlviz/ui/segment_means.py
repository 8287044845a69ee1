"""How far apart the models are, segment by segment: only from the second segment on is there a memory."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from txlviz.ui import text

_LISTED = 6  # later segments that are named one by one; of more the mean is given


def sentence(difference: NDArray[np.floating], starts: Sequence[int], memory: int) -> str:
    """Transformer-XL minus vanilla, in words, as Markdown.

    Args:
        difference: (token,) nats.
        starts: where each segment starts, in places of the inputs: token t is predicted from place t.
        memory: rows of memory.
    """
    parts = [part for part in np.split(difference, list(starts[1:])) if part.size]
    first, later = f"{parts[0].mean():+.2f}", parts[1:]
    if not later:
        return text.prose("start", "one_segment")
    if not memory:
        return text.prose("start", "segments_no_memory").format(first=first, later=_listed(later))
    return text.prose("start", "segments").format(first=first, later=_listed(later))


def _listed(parts: Sequence[NDArray[np.floating]]) -> str:
    if len(parts) <= _LISTED:
        return f"**{', '.join(f'{part.mean():+.2f}' for part in parts)}**"
    return f"**{np.concatenate(parts).mean():+.2f}** (mean of {len(parts)})"
