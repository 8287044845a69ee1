"""FLOPs for one scored token: a window read anew by the vanilla model, or a segment read by the Transformer-XL from its cache.

Counted from the models' shapes; matrix products only, a multiplication and an addition as two. Softmax, layer norms, ReLU and
the copies of the relative shift aren't counted, as usual; the clock sees them.
"""

from __future__ import annotations

from txlviz.analysis.attention_cost import pairs_flops
from txlviz.models.config import ModelConfig


def window_flops(config: ModelConfig, attention_length: int, *, causal: bool = True) -> int:
    """The vanilla model's: one window of ``attention_length`` tokens, and the scores over the vocabulary for its last place.

    Args:
        causal: counts the pairs of a query and a key that aren't hidden, W(W + 1)/2: the fused causal kernel leaves out the
            others, but for the corners of its blocks. False counts all W².

    Raises:
        ValueError: the length isn't at least 1.
    """
    W = _at_least_one("attention length", attention_length)
    pairs = W * (W + 1) // 2 if causal else W * W
    layer = _rows_flops(config, W) + pairs_flops(config, pairs, relative=False)
    return config.n_layers * layer + _logits_flops(config, 1)


def cached_flops(config: ModelConfig, attention_length: int, segment_length: int = 64) -> float:
    """The Transformer-XL's: a segment of L tokens looks at M = ``attention_length`` cached rows and at itself; all L scored.

    Keys, values and positions of the memory are projected already. All L × (M + L) pairs are counted: no kernel leaves out the
    hidden corner here. The result is the segment's FLOPs divided by L.
    """
    M, L = _at_least_one("attention length", attention_length), _at_least_one("segment length", segment_length)
    layer = _rows_flops(config, L) + pairs_flops(config, L * (M + L), relative=True)
    return (config.n_layers * layer + _logits_flops(config, L)) / L


def _rows_flops(config: ModelConfig, rows: int) -> int:
    """Everything in a layer but the pairs: q, k, v and output, and the feed-forward layer."""
    D, width = config.d_model, config.n_heads * config.d_head
    return 2 * rows * (4 * D * width + 2 * D * config.d_inner)


def _logits_flops(config: ModelConfig, rows: int) -> int:
    return 2 * rows * config.d_model * config.vocab_size


def _at_least_one(name: str, length: int) -> int:
    if length < 1:
        raise ValueError(f"the {name} is {length}; it must be at least 1")
    return length
