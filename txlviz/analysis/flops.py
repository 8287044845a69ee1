"""FLOPs for one scored token: a window read anew by the vanilla model, or a segment read by the Transformer-XL from its cache.

Counted from the models' shapes; matrix products only, a multiplication and an addition as two. Softmax, layer norms, ReLU and
the copies of the relative shift aren't counted, as usual; the clock sees them.
"""

from __future__ import annotations

from txlviz.analysis.attention_cost import pairs_flops
from txlviz.models.config import ModelConfig


def window_flops(config: ModelConfig, attention_length: int, *, causal: bool = True, scored: int = 1) -> int:
    """The vanilla model's: one window of ``attention_length`` tokens, of which the last ``scored`` places are scored.

    The top layer's queries, its feed-forward layer and the scores over the vocabulary are needed at those places only; all
    rows give it keys and values, and all lower layers are needed in full.

    Args:
        causal: counts the pairs of a query and a key that aren't hidden, W(W + 1)/2: the fused causal kernel leaves out the
            others, but for the corners of its blocks. False counts all W².

    Raises:
        ValueError: a length isn't at least 1, or more places are scored than there are.
    """
    W, S = _at_least_one("attention length", attention_length), _at_least_one("number of scored places", scored)
    if S > W:
        raise ValueError(f"{S} places of a window of {W} can't be scored")

    def layer(queries: int) -> int:
        hidden = queries * (queries - 1) // 2 if causal else 0
        pairs = pairs_flops(config, queries * W - hidden, relative=False)
        return _queries_flops(config, queries) + _keys_flops(config, W) + pairs

    return (config.n_layers - 1) * layer(W) + layer(S) + _logits_flops(config, S)


def cached_flops(config: ModelConfig, attention_length: int, segment_length: int = 64) -> float:
    """The Transformer-XL's: a segment of L tokens looks at M = ``attention_length`` cached rows and at itself; all L scored.

    Keys, values and positions of the memory are projected already. All L × (M + L) pairs are counted: no kernel leaves out the
    hidden corner here. The result is the segment's FLOPs divided by L.
    """
    M, L = _at_least_one("attention length", attention_length), _at_least_one("segment length", segment_length)
    layer = _queries_flops(config, L) + _keys_flops(config, L) + pairs_flops(config, L * (M + L), relative=True)
    return (config.n_layers * layer + _logits_flops(config, L)) / L


def _queries_flops(config: ModelConfig, rows: int) -> int:
    """What a layer does for a row that it puts out: q, output, and the feed-forward layer."""
    D, width = config.d_model, config.n_heads * config.d_head
    return 2 * rows * (2 * D * width + 2 * D * config.d_inner)


def _keys_flops(config: ModelConfig, rows: int) -> int:
    """What it does for a row that is looked at: k and v."""
    return 2 * rows * 2 * config.d_model * config.n_heads * config.d_head


def _logits_flops(config: ModelConfig, rows: int) -> int:
    return 2 * rows * config.d_model * config.vocab_size


def _at_least_one(name: str, length: int) -> int:
    if length < 1:
        raise ValueError(f"the {name} is {length}; it must be at least 1")
    return length
