"""What attention costs a layer that reads n tokens: at once, in segments, or in segments with a memory (the O(n²) bill).

Counted from the shapes in ``models/attention.py``, dense: a score that the mask hides is computed all the same.
"""

from __future__ import annotations

from dataclasses import dataclass

from txlviz.models.config import ModelConfig

FLOAT_BYTES = 4


@dataclass(frozen=True)
class Cost:
    """One layer, one text."""

    entries: int
    """Scores of one head, over all segments."""
    largest: int
    """Scores of one head that stand in memory at once: those of the largest L x K matrix."""
    score_bytes: int
    """Bytes of that matrix, all heads, float32."""
    projection_flops: int
    """q, k and v, output; for the Transformer-XL r as well. A multiplication and an addition count as two."""
    attention_flops: int
    """Scores and weighted values; for the Transformer-XL the scores by position as well."""

    @property
    def flops(self) -> int:
        """Both parts."""
        return self.projection_flops + self.attention_flops


def attention_cost(
    config: ModelConfig, n_tokens: int, segment_length: int | None = None, memory_length: int | None = None
) -> Cost:
    """Counts one layer's attention over ``n_tokens``.

    Args:
        config: the sizes. Its kind doesn't matter: a memory makes the layer a relative one.
        segment_length: L; None reads the whole text at once.
        memory_length: M, also 0, counts the Transformer-XL's layer (relative positions), which reads K = M' + L keys a segment,
            where M' <= M rows are filled so far; None counts the vanilla one.

    Raises:
        ValueError: a length makes no sense.
    """
    L = n_tokens if segment_length is None else segment_length
    if n_tokens < 1 or L < 1 or (memory_length or 0) < 0:
        raise ValueError(f"no cost for {n_tokens} tokens, segments of {L} and a memory of {memory_length}")
    D, width = config.d_model, config.n_heads * config.d_head
    relative = memory_length is not None
    entries = largest = projection = attention = 0
    for start in range(0, n_tokens, L):
        queries = min(L, n_tokens - start)
        keys = queries + min(memory_length or 0, start)
        entries += queries * keys
        largest = max(largest, queries * keys)
        # q and output for the queries; k and v, and r, for the keys
        projection += 2 * D * width * (2 * queries + (3 if relative else 2) * keys)
        attention += pairs_flops(config, queries * keys, relative=relative)
    return Cost(entries, largest, config.n_heads * largest * FLOAT_BYTES, projection, attention)


def pairs_flops(config: ModelConfig, pairs: int, *, relative: bool) -> int:
    """What ``pairs`` of a query and a key cost one layer, all heads: the content score and the weighted value, and in a
    relative layer the score by position."""
    return 2 * config.n_heads * config.d_head * pairs * (3 if relative else 2)
