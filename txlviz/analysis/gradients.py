"""Which hidden states the loss of one segment sends gradient to: what training can teach, with stop-gradient and without."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from txlviz.analysis.hidden import HiddenStates, Rows, length_of
from txlviz.analysis.lengths import with_lengths
from txlviz.checkpoint import Checkpoint
from txlviz.models import Memory


@dataclass(frozen=True)
class Gradients:
    """The gradient of one segment's mean loss with respect to every hidden state up to the segment's end."""

    size: npt.NDArray[np.float64]
    """(N + 1, T) Euclidean length, nats per unit; 0 only where every component is 0, or where no path leads. Row 0 is the input
    embedding as the first layer reads it (scaled by sqrt(D)), row n the output of layer n."""
    loss: float
    """Nats, the mean over the segment's targets."""
    start: int
    """First place of the segment; it ends at T."""
    targets: int
    """Places of the segment whose next token is known: all of them, but for the last place of a text."""


def gradients(
    checkpoint: Checkpoint,
    text: str,
    segment_length: int | None = None,
    memory_length: int | None = None,
    *,
    segment: int,
    stop_gradient: bool = True,
) -> Gradients:
    """Reads the text up to the end of a segment, and sends the gradient of that segment's mean loss back.

    Args:
        segment_length: L; None takes the trained length.
        memory_length: M; None takes the model's own. The vanilla model has none (None or 0).
        segment: counts from 0.
        stop_gradient: as in training, where rows in memory are constants (SG; Dai et al. 2019, section 3.2). False: gradient
            flows through the memories into the segments before.

    Raises:
        ValueError: there is no such segment or no target in it, the text can't be encoded, or a setting doesn't fit the model.
    """
    model, L, _ = with_lengths(checkpoint.model, segment_length, memory_length)
    ids = torch.tensor([checkpoint.inputs(text)])
    start, total = segment * L, ids.shape[1]
    if not 0 <= start < total:
        raise ValueError(f"there is no segment {segment}: the text has {-(-total // L)} (they count from 0)")
    end = min(start + L, total)
    targets = ids[:, start + 1 : end + 1]
    if not targets.shape[1]:
        raise ValueError(f"segment {segment} holds only the last token of the text: nothing follows it, so there is no loss")

    states, embeddings = HiddenStates(model), []

    def leaf(rows: Tensor) -> Tensor:
        embeddings.append(rows.detach().requires_grad_())
        return embeddings[-1]

    states.on_embedding(leaf)
    options = {"stop_gradient": stop_gradient} if checkpoint.is_xl else {}
    memory: Memory = ()
    read: list[Rows] = []
    with torch.enable_grad():
        for piece in torch.split(ids[:, :end], L, dim=1):
            rows, memory = states(piece, memory, **options)
            read.append(rows)
        loss = states.model.token_losses(read[-1][-1][:, : targets.shape[1]], targets).mean()
    nodes = [[embedding, *rows[1:]] for embedding, rows in zip(embeddings, read, strict=True)]
    found = torch.autograd.grad(loss, [node for rows in nodes for node in rows], allow_unused=True, materialize_grads=True)
    by_segment = [found[at : at + len(nodes[0])] for at in range(0, len(found), len(nodes[0]))]
    size = np.stack([length_of(torch.cat(row, dim=1)[0]).numpy() for row in zip(*by_segment, strict=True)])
    size[0] /= np.sqrt(model.config.d_model)  # the first layer reads the embedding times sqrt(D)
    return Gradients(size, float(loss.detach()), start, targets.shape[1])
