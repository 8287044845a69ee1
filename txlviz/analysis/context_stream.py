"""Loss against context once more, the same targets read in a stream: segments of L, each with a memory of M = c - L rows.

A target stands at the end of its segment, so that its prediction looks at c rows, as in one pass over c tokens. What differs is
what these rows know: here they were computed with text before them, up to the longest c before the target or more, so that
more than c tokens can matter (recurrence). Beginning at the c tokens themselves gives nothing new: with a memory that keeps
all rows, a text read in segments has the losses of one pass, whatever L is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from txlviz import recorded
from txlviz.analysis.context_record import Places, resampled, summary
from txlviz.models import KeyValueCache, TransformerXL

Limit = Literal["pass", "trained", "model", "beyond"]
"""What ends the fall of the loss: the longest pass that was tried, the most context seen in training, or the model itself: it
was trained with more, or it goes on beyond."""


@torch.inference_mode()
def losses_of(
    model: TransformerXL,
    ids: Tensor,
    places: Places,
    contexts: Sequence[int],
    progress: Callable[[float], None] | None = None,
) -> npt.NDArray[np.float32]:
    """(context, target) nats of the tokens of ``ids`` (T,) at ``places``, each read at the end of a segment of a stream.

    The stream of a target begins ``max(contexts)`` tokens before it, or before the first of the targets whose segments it
    shares: those that lie whole segments apart.

    Raises:
        ValueError: a context isn't a multiple of the model's L, or a target has too few tokens before it.
    """
    L, history = model.config.segment_length, max(contexts)
    if any(c < L or c % L for c in contexts):
        raise ValueError(f"contexts must be multiples of the segment, {L}; they are {list(contexts)}")
    if min(places) < history:
        raise ValueError(f"each target needs {history} tokens before it")
    chains = _chains(places.tolist(), L)
    starts = torch.tensor([chain[0] - history for chain in chains])
    steps = history // L + max(map(len, chains)) - 1
    column_of = {int(place): column for column, place in enumerate(places)}
    found = np.empty((len(contexts), len(places)), dtype=np.float32)
    for at, c in enumerate(contexts):
        nothing = tuple(torch.zeros(len(chains), 0, model.config.d_model) for _ in model.blocks)
        cache = KeyValueCache(model.with_mem_len(c - L), nothing, at_most=L)
        for step in range(steps):
            # Streams that end earlier are padded; nothing is read of them any more.
            segment = (starts[:, None] + step * L + torch.arange(L)).clamp(max=len(ids) - 1)
            hidden = cache.step(ids[segment])
            number = step + 1 - history // L  # of the target that follows this segment, in its chain
            rows = [row for row, chain in enumerate(chains) if 0 <= number < len(chain)]
            if rows:
                wanted = [chains[row][number] for row in rows]
                losses = model.token_losses(hidden[rows, -1][:, None], ids[wanted][:, None])[:, 0]
                found[at, [column_of[place] for place in wanted]] = losses.numpy()
            if progress is not None:
                progress((at + (step + 1) / steps) / len(contexts))
    return found


def _chains(places: Iterable[int], step: int) -> list[list[int]]:
    """The places in runs whose neighbours are ``step`` apart."""
    left, chains = set(places), []
    for first in sorted(left):
        if first - step not in left:
            chain = [first]
            while chain[-1] + step in left:
                chain.append(chain[-1] + step)
            chains.append(chain)
    return chains


def described(stream: npt.ArrayLike, one_pass: npt.ArrayLike, contexts: Sequence[int], segment_length: int) -> dict[str, Any]:
    """What is recorded: the summary of the stream's losses, and ``gain``, by how much they lie below those of one pass.

    Args:
        stream, one_pass: (context, target) nats over the same targets and ``contexts``.
    """
    gain = np.asarray(one_pass, dtype=np.float64) - np.asarray(stream, dtype=np.float64)
    low, high = np.percentile(resampled(gain), [2.5, 97.5], axis=0)
    return {
        "contexts": list(contexts),
        "memories": [c - segment_length for c in contexts],
        **summary(stream, contexts),
        "gain": [recorded.significant(value) for value in gain.mean(axis=1)],
        "gain_low": [recorded.significant(value) for value in low],
        "gain_high": [recorded.significant(value) for value in high],
    }


def trained_context(card: Mapping[str, Any]) -> int:
    """The most rows that a prediction of the Transformer-XL looked at in training: the longest memory drawn, and a segment."""
    settings = card["settings"]
    return int(max(settings["memory"]["lengths"]) + settings["segment_length"])


def limit(flat_low_high: Sequence[int], longest: int, trained: int) -> Limit:
    """What ends the fall of the loss, by the 95 % interval of the c from which on it is flat.

    The longest pass, where the interval reaches it; else what was seen in training, where that lies inside; else the model
    itself: it was trained with more, and makes nothing of it (``model``), or it goes on ``beyond``.
    """
    low, high = flat_low_high
    if high >= longest:
        return "pass"
    return "model" if high < trained else "beyond" if trained < low else "trained"
