"""Longer segments than a model was trained with: does the loss go on as before, or fall apart?

Dai et al. 2019, section 3.3, says of sinusoids of the distance i - j that a memory may be several times longer than
in training; what longer segments do is tried here.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

from txlviz.analysis.evaluate import evaluate
from txlviz.checkpoint import Checkpoint

LENGTHS = (64, 96, 128, 192, 256, 384, 512)


def losses_by_length(
    checkpoint: Checkpoint,
    text: str,
    lengths: Sequence[int] = LENGTHS,
    memory_length: int | None = None,
    *,
    done: Callable[[int], object] | None = None,
) -> npt.NDArray[np.float64]:
    """Mean loss over all tokens of ``text``, read as one stream in segments of each length.

    Args:
        lengths: the L to try. The vanilla model is read in segments (stride L), and has no trained positions beyond its own L.
        memory_length: M of the Transformer-XL, the same for every L; None takes the model's own.
        done: told of each L when it is scored.

    Returns:
        (length,) nats a token.

    Raises:
        ValueError: the text is empty, or a length doesn't fit the model.
    """
    losses = []
    for length in lengths:
        losses.append(evaluate(checkpoint, text, length, memory_length).mean_loss)
        if done is not None:
            done(length)
    return np.array(losses)
