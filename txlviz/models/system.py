"""The same blocks with a chosen position system and a chosen pattern of attention, with or without recurrence."""

from __future__ import annotations

import math
from collections.abc import Sequence

import torch
from torch import Tensor, nn

from txlviz.models.attention import AbsoluteAttention, Recorder, merge_heads, sdpa_weights, sum_of, visible_keys
from txlviz.models.attentions import longformer
from txlviz.models.block import Block
from txlviz.models.encodings import ENCODINGS
from txlviz.models.language_model import Output
from txlviz.models.recurrent import RecurrentModel
from txlviz.models.system_config import SystemConfig


class SystemAttention(AbsoluteAttention):
    """Multi-head attention whose positions come from a ``PositionSystem`` and whose hidden keys come from a mask."""

    def __init__(self, config: SystemConfig, layer: int) -> None:
        super().__init__(config, layer)
        self.config = config
        self.position = ENCODINGS[config.encoding](config, layer)

    def forward(
        self,
        h: Tensor,
        parts: tuple[Tensor, Tensor] | None = None,
        recorder: Recorder | None = None,
        memory: Tensor | None = None,
    ) -> Tensor:
        """(B, L, D) from ``h`` (B, L, D) and ``memory`` (B, M', D). ``parts`` as in ``AbsoluteAttention``."""
        q, k, values = self.project(h, h if memory is None else torch.cat([memory, h], dim=1))
        query, key = self.position.rotated(q, k)
        mask = self._mask(q, k)
        if recorder is None and not self.position.adds_values:
            return self.attend(query, key, values, mask)

        visible = self.visible(q.shape[2], k.shape[2])
        scores = (query @ key.transpose(-1, -2)) * self.scale
        scores = scores.masked_fill(~visible, -math.inf) if mask is None or mask.dtype == torch.bool else scores + mask
        if recorder is None:
            weights = nn.functional.dropout(scores.softmax(dim=-1), self.dropout, self.training)
        else:
            weights = self._recorded(recorder, (q, k, query, key), mask, visible, scores, parts)
        out, added = weights @ values, self.position.values(weights)
        return self.w_o(merge_heads(out if added is None else out + added))  # type: ignore[no-any-return]

    def _recorded(
        self,
        recorder: Recorder,
        rows: tuple[Tensor, Tensor, Tensor, Tensor],
        mask: Tensor | None,
        visible: Tensor,
        scores: Tensor,
        parts: tuple[Tensor, Tensor] | None,
    ) -> Tensor:
        """What the recorder makes of the scores; where they split into terms, the sum of the terms stands for them."""
        q, k, query, key = rows
        if self.position.adds_values:
            ordinary = scores.softmax(dim=-1)
        else:
            ordinary = sdpa_weights(query, key, mask, causal=mask is None, scale=self.scale)
        terms = self.position.terms(q, k) if parts is None else self.terms(*parts)
        if terms is not None:
            scores = sum_of(terms, visible) * self.scale
        return recorder.attention_weights(self.layer, terms, scores, ordinary, visible)

    def visible(self, n_queries: int, n_keys: int) -> Tensor:
        """(L, K) bool: which keys each query may see."""
        config = self.config
        if config.attention == "longformer":
            return longformer.visible(n_queries, n_keys, window=config.window, n_global=config.n_global, causal=True)
        return visible_keys(n_queries, n_keys)

    def _mask(self, q: Tensor, k: Tensor) -> Tensor | None:
        """What ``attend`` takes: None for plain causal, (L, K) bool, or what is added to the scores, -inf where hidden."""
        n_queries, n_keys = q.shape[2], k.shape[2]
        bias = self.position.bias(q, k, self.scale)
        if bias is None:
            plain = self.config.attention == "causal" and n_queries == n_keys
            return None if plain else self.visible(n_queries, n_keys)
        return bias.masked_fill(~self.visible(n_queries, n_keys), -math.inf)


class SystemTransformer(RecurrentModel):
    """The Transformer of the two models with what ``SystemConfig`` chooses: encoding, attention, recurrence, terms left out.

    With encoding ``"xl"`` and recurrence it is the ``TransformerXL``, with ``"sinusoids"`` the ``VanillaTransformer``; only the
    names of some weights differ.
    """

    config: SystemConfig

    def __init__(self, config: SystemConfig) -> None:
        super().__init__(config)
        self.blocks = nn.ModuleList(Block(config, SystemAttention(config, n)) for n in range(config.n_layers))
        self.init_weights()

    @property
    def has_memory(self) -> bool:
        """Whether the model was built with recurrence; without it M stays 0."""
        return self.config.recurrent

    def forward(
        self,
        ids: Tensor,
        memory: Sequence[Tensor] | None = None,
        targets: Tensor | None = None,
        recorder: Recorder | None = None,
        *,
        read_again: int = 0,
    ) -> Output:
        """One segment, and the memory for the next one.

        ``read_again``: the last inputs of this segment that stand at the start of the next one as well (the extended context of
        the original code); the memory leaves them out. Where positions are absolute, each segment counts its own from 0, and
        the memory holds what the first layer read: embedding and position.
        """
        self._check_inputs(ids, recorder)
        if memory and not self.has_memory and any(layer.shape[1] for layer in memory):
            raise ValueError("this model was built without recurrence: it has no memory")
        old = self._checked(memory, batch=ids.shape[0])
        old = tuple(layer.detach() for layer in old)
        embedding, place = self.embed(ids), self.place(ids.shape[1])
        h = embedding if place is None else embedding + place
        ends = ids.shape[1] - read_again
        new = [self._updated(old[0], h[:, :ends])]
        h, read = self.dropout(h), (self.dropout(old[0]), *old[1:])
        split = None if place is None or old[0].shape[1] else (embedding, place)
        for n, block in enumerate(self.blocks):
            if n > 0:
                new.append(self._updated(old[n], h[:, :ends]))
            h = block(h, split if n == 0 else None, recorder, read[n])
        h = self.dropout(h)
        kept = tuple(layer.detach() for layer in new) if self.has_memory else ()
        return Output(h, kept, None if targets is None else self.mean_loss(h, targets))

    def place(self, n: int) -> Tensor | None:
        """(n, D) what the position system adds to the embeddings."""
        first = self.blocks[0].attention
        assert isinstance(first, SystemAttention)
        added = first.position.at_input(n)
        return None if added is None else added.to(self.embedding.weight.dtype)
