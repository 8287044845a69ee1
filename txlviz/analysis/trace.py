"""One text through one model, with every score split into its terms: the record from which the pictures are made."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from txlviz.analysis.lengths import with_lengths
from txlviz.checkpoint import Checkpoint
from txlviz.data import segments as cut
from txlviz.models import TERMS, Memory, ModelConfig, SystemConfig, Term

Array = npt.NDArray[np.float32]


@dataclass(frozen=True)
class LayerTrace:
    """One layer over one segment. Shapes: H heads, L queries, K = M' + L keys, oldest key first."""

    terms: Mapping[str, Array] | None
    """``"a"``, ``"b"``, ``"c"``, ``"d"``: (H, L, K) each, before the scale. (b) and (d) of the Transformer-XL are 0 at keys in
    the future, where there is no distance. None where no exact split exists (vanilla, above its first layer; RoPE, ALiBi)."""
    scores: Array
    """(H, L, K) the sum of the terms that are on, divided by sqrt(d_head); -inf at hidden keys."""
    weights: Array
    """(H, L, K) softmax of the scores over the keys; 0 at hidden keys."""
    visible: npt.NDArray[np.bool_]
    """(L, K) which keys a query may see."""
    residual: float
    """Largest difference between the weights rebuilt from all four terms and those of the ordinary forward pass."""


@dataclass(frozen=True)
class SegmentTrace:
    """One segment. Places count from 0 in ``Trace.inputs``; query i stands at ``start + i``, key j at ``first_key + j``."""

    start: int
    first_key: int
    layers: tuple[LayerTrace, ...]
    """Empty where this segment was not asked for."""

    @property
    def memory_rows(self) -> int:
        """(M') rows of memory that this segment reads."""
        return self.start - self.first_key


@dataclass(frozen=True)
class Trace:
    """A text through a model."""

    tokens: list[str]
    """The text's tokens as people read them."""
    inputs: list[str]
    """What the model reads: a newline, then the tokens. Token t is predicted from place t, and stands at place t + 1."""
    losses: Array
    """(token,) nats of each token."""
    segments: tuple[SegmentTrace, ...]
    """The cut of ``inputs``. The last token is a query as well, so that what comes after it can be asked: where the tokens fill
    their segments, it stands in one more segment, alone."""
    segment_length: int
    memory_length: int
    d_head: int

    @property
    def residual(self) -> float:
        """The largest residual of all recorded layers."""
        return max((layer.residual for segment in self.segments for layer in segment.layers), default=0.0)


@torch.inference_mode()
def trace(
    checkpoint: Checkpoint,
    text: str,
    segment_length: int | None = None,
    memory_length: int | None = None,
    *,
    without: Collection[str] = (),
    layer: int | None = None,
    record: Collection[int] | None = None,
) -> Trace:
    """Runs ``text`` in segments and records what each layer computed.

    Args:
        segment_length: L; None takes the trained length.
        memory_length: M; None takes the model's own. The vanilla model has none (None or 0).
        without: terms to leave out of the scores ("a" to "d"); losses and weights are then those of the changed model.
        layer: the layer (from 0) to leave them out of; None: every layer that can be split.
        record: indices of the segments whose layers are kept; None keeps all.

    Raises:
        ValueError: the text is empty or can't be encoded, or a setting doesn't fit the model.
    """
    inputs = checkpoint.inputs(text)
    if len(inputs) == 1:
        raise ValueError("the text is empty: there is no token to look at")
    model, length, rows = with_lengths(checkpoint.model, segment_length, memory_length)
    off = _checked_terms(without)
    _check_layer(checkpoint, off, layer)

    scale = 1.0 / math.sqrt(checkpoint.config.d_head)
    stream = torch.tensor([inputs])
    memory: Memory = ()
    segments: list[SegmentTrace] = []
    losses: list[Tensor] = []
    start = 0
    for index, piece in enumerate(cut(stream, length)):
        keep = record is None or index in record
        recorder = _Recorder(off, layer, keep, scale) if keep or off else None
        first_key = start - (memory[0].shape[1] if memory else 0)
        out = model(piece, memory or None, recorder=recorder)
        segments.append(SegmentTrace(start, first_key, tuple(recorder.layers) if recorder else ()))
        targets = stream[:, start + 1 : start + 1 + piece.shape[1]]
        losses.append(model.token_losses(out.hidden[:, : targets.shape[1]], targets)[0])
        memory = out.memory
        start += piece.shape[1]
    shown = checkpoint.tokenizer.show(inputs)
    return Trace(
        tokens=shown[1:],
        inputs=shown,
        losses=torch.cat(losses).numpy(),
        segments=tuple(segments),
        segment_length=length,
        memory_length=rows,
        d_head=checkpoint.config.d_head,
    )


class _Recorder:
    """Receives each layer's terms, leaves out what is off, and keeps a copy."""

    def __init__(self, off: frozenset[Term], layer: int | None, keep: bool, scale: float) -> None:
        self.off, self.layer, self.keep, self.scale = off, layer, keep, scale
        self.layers: list[LayerTrace] = []

    def attention_weights(
        self, layer: int, terms: dict[Term, Tensor] | None, scores: Tensor, ordinary: Tensor, visible: Tensor
    ) -> Tensor:
        """Softmax of the scores, without the terms that are off in this layer."""
        weights = scores.softmax(dim=-1)
        residual = float((weights - ordinary).abs().max())
        if terms is not None and self.off and self.layer in (None, layer):
            left = [values for term, values in terms.items() if term not in self.off]
            total = torch.stack(left).sum(dim=0) if left else torch.zeros_like(scores)
            scores = (total * self.scale).masked_fill(~visible, -math.inf)
            weights = scores.softmax(dim=-1)
        if self.keep:
            split: dict[str, Array] | None = None if terms is None else {t: _array(values) for t, values in terms.items()}
            self.layers.append(LayerTrace(split, _array(scores), _array(weights), visible.numpy(), residual))
        return weights


def _array(values: Tensor) -> Array:
    """The first row of the batch, as a plain array."""
    return values[0].contiguous().numpy()


def _checked_terms(without: Collection[str]) -> frozenset[Term]:
    unknown = sorted(set(without) - set(TERMS))
    if unknown:
        raise ValueError(f"there is no term {unknown[0]!r}: the terms are a, b, c and d")
    return frozenset(term for term in TERMS if term in without)


def _check_layer(checkpoint: Checkpoint, off: frozenset[Term], layer: int | None) -> None:
    split = _split_layers(checkpoint.config)
    if off and split == 0:
        raise ValueError("the scores of this model have no exact split, so that no term can be left out of them")
    if layer is None:
        return
    if not 0 <= layer < checkpoint.config.n_layers:
        raise ValueError(f"there is no layer {layer}: the model has layers 0 to {checkpoint.config.n_layers - 1}")
    if off and layer >= split:
        name = "vanilla" if checkpoint.config.kind == "vanilla" else "absolute"
        raise ValueError(f"layer {layer} of the {name} model has no exact split: terms can be left out of layer 0 only")


def _split_layers(config: ModelConfig) -> int:
    """The layers, from the lowest up, whose scores are the sum of four terms."""
    encoding = config.encoding if isinstance(config, SystemConfig) else {"xl": "xl", "vanilla": "sinusoids"}[config.kind]
    return {"xl": config.n_layers, "sinusoids": 1, "learned": 1}.get(encoding, 0)
