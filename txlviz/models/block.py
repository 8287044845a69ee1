"""The block that both models share: attention, then feed-forward, each added and then normalised (post-LN)."""

from __future__ import annotations

from typing import Any

from torch import Tensor, nn

from txlviz.models.config import ModelConfig


class FeedForward(nn.Sequential):
    """Two linear layers with a ReLU between them (Vaswani et al. 2017, eq. 2)."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__(
            nn.Linear(config.d_model, config.d_inner),
            nn.ReLU(),
            nn.Dropout(config.dropout),
            nn.Linear(config.d_inner, config.d_model),
        )


class Block(nn.Module):
    """One layer. Layer norm follows the residual, as in the paper: h = LN(h + sublayer(h))."""

    def __init__(self, config: ModelConfig, attention: nn.Module) -> None:
        super().__init__()
        self.attention = attention
        self.attention_norm = nn.LayerNorm(config.d_model)
        self.feed_forward = FeedForward(config)
        self.feed_forward_norm = nn.LayerNorm(config.d_model)
        self.dropout = nn.Dropout(config.dropout)

    def forward(self, h: Tensor, *attention_inputs: Any) -> Tensor:
        """(B, L, D) to (B, L, D). ``attention_inputs`` go to the attention unread: the block knows nothing of positions."""
        h = self.attention_norm(h + self.dropout(self.attention(h, *attention_inputs)))
        return self.feed_forward_norm(h + self.dropout(self.feed_forward(h)))  # type: ignore[no-any-return]
