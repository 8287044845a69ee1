"""What one layer's attention computes and keeps for a text of n tokens, by formula: for every attention and position system.

FLOPs are those of matrix products, a multiplication and an addition as two, dense: what a mask hides inside a block is computed
all the same. Bytes are those of what lives at once where scores are written out, float32: the scores of all heads before and
after the softmax, the mask that the heads share, keys and values gathered for blocks, and rows such as q, k and v.
"""

from __future__ import annotations

from dataclasses import dataclass

from txlviz.analysis.attention_cost import FLOAT_BYTES, attention_cost
from txlviz.models.attentions import Settings, bigbird
from txlviz.models.config import ModelConfig


@dataclass(frozen=True)
class SystemCost:
    """One layer, one text."""

    projection_flops: int
    """q, k, v and output; for the Transformer-XL r, for Linformer E K and F V as well."""
    attention_flops: int
    """Scores and weighted values; for the Transformer-XL the scores by position as well."""
    peak_bytes: int

    @property
    def flops(self) -> int:
        """Both parts."""
        return self.projection_flops + self.attention_flops


def system_cost(config: ModelConfig, name: str, n: int, settings: Settings) -> SystemCost:
    """Counts the attention system ``name`` (one of ``SYSTEMS``) over ``n`` tokens.

    ``sliding`` moves its window by one token, so it reads n - L + 1 windows. ValueError for sizes or names that make no sense.
    """
    L, M = settings.segment_length, settings.memory_length
    if name == "full":
        return _in_pieces(config, n)
    if name == "segments":
        return _in_pieces(config, n, L)
    if name == "xl":
        return _in_pieces(config, n, L, M)
    if name == "sliding":
        one, passes = _in_pieces(config, min(n, L)), max(1, n - L + 1)
        return SystemCost(passes * one.projection_flops, passes * one.attention_flops, one.peak_bytes)
    if name not in _ONE_CALL:
        raise ValueError(f"there is no attention system {name!r}")
    if n < 1:
        raise ValueError(f"no cost for {n} tokens: at least 1")
    return _ONE_CALL[name](config, n, settings)


def _in_pieces(config: ModelConfig, n: int, L: int | None = None, M: int | None = None) -> SystemCost:
    cost = attention_cost(config, n, L, M)
    queries, H = min(n, L or n), config.n_heads
    if M is None:
        scores, rows = 2 * cost.score_bytes + cost.score_bytes // H, 4 * queries
    else:  # the scores by position stand beside those by content; memory, R and r beside the keys and values
        scores, rows = 3 * cost.score_bytes, 2 * queries + 5 * (queries + min(M, max(0, n - queries)))
    return SystemCost(cost.projection_flops, cost.attention_flops, scores + _row_bytes(config, rows))


def _longformer(config: ModelConfig, n: int, s: Settings, *, causal: bool) -> SystemCost:
    block = max(1, s.window)
    blocks, n_global = -(-n // block), min(s.n_global, n)
    keys = s.window + block + (0 if causal else s.window) + n_global
    return _in_blocks(config, n, blocks, block, keys, 0 if causal else n_global)


def _bigbird(config: ModelConfig, n: int, s: Settings) -> SystemCost:
    blocks = -(-n // s.block)
    keys = s.block * bigbird.chosen(blocks, s.window_blocks, s.n_global_blocks, s.n_random_blocks, s.seed).shape[1]
    return _in_blocks(config, n, blocks, s.block, keys, min(n, s.n_global_blocks * s.block))


def _in_blocks(config: ModelConfig, n: int, blocks: int, block: int, keys: int, n_global: int) -> SystemCost:
    """``blocks`` of ``block`` queries with ``keys`` each, and ``n_global`` queries that see all n."""
    width, pairs = config.n_heads * config.d_head, blocks * block * keys
    gathered = _row_bytes(config, 3 * blocks * keys)  # keys, their scaled copy, values
    scores = 2 * config.n_heads * pairs * FLOAT_BYTES
    return SystemCost(_rows_flops(config, n), 4 * width * (pairs + n_global * n), scores + gathered + _row_bytes(config, 4 * n))


def _linformer(config: ModelConfig, n: int, s: Settings) -> SystemCost:
    width, k = config.n_heads * config.d_head, s.rank
    return SystemCost(
        _rows_flops(config, n) + 2 * 2 * k * n * width,
        4 * width * n * k,
        max(2 * config.n_heads * n * k * FLOAT_BYTES + _row_bytes(config, 2 * n), _row_bytes(config, 3 * n)),
    )


def _rows_flops(config: ModelConfig, n: int) -> int:
    return 4 * 2 * n * config.d_model * config.n_heads * config.d_head


def _row_bytes(config: ModelConfig, n: int) -> int:
    """Of n rows of all heads."""
    return n * config.n_heads * config.d_head * FLOAT_BYTES


_ONE_CALL = {
    "longformer-causal": lambda config, n, s: _longformer(config, n, s, causal=True),
    "longformer": lambda config, n, s: _longformer(config, n, s, causal=False),
    "bigbird": _bigbird,
    "linformer": _linformer,
}


@dataclass(frozen=True)
class PositionCost:
    """What a position system adds to one layer of full causal attention over n tokens, and what that layer keeps then."""

    flops: int
    """Added, of matrix products, as above."""
    elementwise: int
    """Added additions and multiplications outside of matrix products: usually not counted as FLOPs, but the clock sees them."""
    parameters: int
    """Learned numbers in each layer; for ``learned`` those of the whole model."""
    layer_flops: int
    """Of the whole layer, ``flops`` among them."""
    peak_bytes: int
    """Of the whole layer, as ``SystemCost.peak_bytes``."""


def position_cost(config: ModelConfig, name: str, n: int, *, clip: int = 16) -> PositionCost:
    """Counts the position system ``name`` (one of ``ENCODINGS``) for n queries and n keys.

    ``sinusoids`` and ``learned`` work once, at the input, not in each layer; ``learned`` has a row for each of the n places.
    ``clip`` is Shaw's largest distance. ValueError for sizes or names that make no sense.
    """
    if n < 1:
        raise ValueError(f"no cost for {n} tokens: at least 1")
    H, E, D, width, pairs = config.n_heads, config.d_head, config.d_model, config.n_heads * config.d_head, n * n
    added: dict[str, tuple[int, int, int]] = {
        "none": (0, 0, 0),
        "sinusoids": (0, n * D, 0),
        "learned": (0, n * D, n * D),
        # q·a^K for every pair; the weights of each distance added up, then times a^V
        "shaw": (2 * pairs * width + 2 * n * (clip + 1) * width, 2 * H * pairs, 2 * (clip + 1) * E),
        # r = W_{k,R} R, (q + v)·r for every pair, u·k for every key
        "xl": (2 * n * D * width + 2 * pairs * width + 2 * n * width, 2 * H * pairs + n * width, D * width + 2 * width),
        "rotary": (0, 2 * 3 * n * width, 0),  # two products and an addition for each number of q and k
        "alibi": (0, 2 * H * pairs, 0),
    }
    if name not in added:
        raise ValueError(f"there is no position system {name!r}")
    flops, elementwise, parameters = added[name]
    # scores, weights, and the causal mask, which the heads share, or each head's bias, where one is added to the scores; Shaw's
    # holds the scores without the bias as well
    matrices = {"shaw": 4 * H, "xl": 3 * H, "alibi": 3 * H}.get(name, 2 * H + 1)
    kept = matrices * pairs * FLOAT_BYTES + _row_bytes(config, 4 * n)
    return PositionCost(flops, elementwise, parameters, flops + attention_cost(config, n).flops, kept)
