"""Loss against context: what a model makes of a token when it is given exactly c tokens before it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from txlviz.checkpoint import Checkpoint
from txlviz.models import LanguageModel

Array = npt.NDArray[np.float32]
Progress = Callable[[float], None]

_TOKENS_AT_ONCE = 4096  # inputs of one batch of passes: bounds the memory, and the time until a caller can stop it


def loss_by_context(
    checkpoint: Checkpoint, text: str, contexts: Sequence[int], *, targets: int | None = None, progress: Progress | None = None
) -> Array:
    """The loss of each target when the model is given exactly c tokens before it: memory empty, one pass over c tokens.

    It isn't the same as a memory of c rows, since recurrence reaches further back than M.

    Args:
        contexts: c, each at least 1. The newline that precedes a text counts as one of the tokens.
        targets: how many of the last positions of the text are targets; None: all positions that have at least
            ``max(contexts)`` tokens before them.
        progress: is told the share that is done, after each batch. What it raises ends the work.

    Returns:
        (context, target) nats, contexts in the order given, targets in the text's order.

    Raises:
        ValueError: the text is too short, or a context is below 1.
    """
    stream = torch.tensor(checkpoint.inputs(text))
    return losses_by_context(checkpoint.model, stream, contexts, targets=targets, progress=progress)


@torch.inference_mode()
def losses_by_context(
    model: LanguageModel,
    ids: Tensor,
    contexts: Sequence[int],
    *,
    targets: int | None = None,
    progress: Progress | None = None,
) -> Array:
    """``loss_by_context`` over ids (T,).

    One pass over max(contexts) tokens from place s gives, to a causal model, the losses of the places s + c given c tokens for
    every c at once. So each place is the start of one pass, not of one a context.
    """
    longest = _checked(contexts)
    first = len(ids) - targets if targets is not None else longest  # the place of the first target
    if targets is not None and targets < 1:
        raise ValueError(f"{targets} targets were asked for; at least 1 is needed")
    if first < longest or first >= len(ids):
        needed = longest + (targets or 1)
        raise ValueError(
            f"the text is too short: {needed:,} tokens are needed with the newline before it for contexts up to {longest:,}, "
            f"and it has {len(ids):,}"
        )
    wanted = np.asarray(contexts)
    losses = np.empty((len(wanted), len(ids) - first), dtype=np.float32)
    starts = torch.arange(first - longest, len(ids) - int(wanted.min()))
    for group in torch.split(starts, max(1, _TOKENS_AT_ONCE // longest)):
        # Passes near the end are padded; a causal model doesn't see what comes after a place.
        places = (group[:, None] + torch.arange(longest)).clamp(max=len(ids) - 1)
        hidden = model(ids[places]).hidden
        row, context = _pairs(group.numpy(), wanted, first, len(ids))
        place = group.numpy()[row] + wanted[context]
        found = model.token_losses(hidden[row, wanted[context] - 1][None], ids[place][None])[0]
        losses[context, place - first] = found.numpy()
        if progress is not None:
            progress(float(group[-1] - starts[0] + 1) / len(starts))
    return losses


def _pairs(
    starts: npt.NDArray[np.int64], contexts: npt.NDArray[np.int64], first: int, end: int
) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]:
    """Which pass answers for which context: (row, index of the context) of all whose target is asked for."""
    place = starts[:, None] + contexts
    row, context = np.nonzero((place >= first) & (place < end))
    return row, context


def _checked(contexts: Sequence[int]) -> int:
    """The longest of the contexts."""
    if not len(contexts) or min(contexts) < 1:
        raise ValueError(f"the contexts are {list(contexts)}; at least one is needed, and each must be at least 1")
    return max(contexts)
