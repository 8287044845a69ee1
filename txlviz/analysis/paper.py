"""Figures that the paper prints (Dai et al. 2019), quoted by pages and claims. Its table 9 stands in ``eval_speed``."""

from __future__ import annotations

RECL_SHARES = (0.1, 0.5, 1.0)
RECL: dict[str, tuple[int, int, int]] = {
    "xl_151": (900, 800, 700),
    "qrnn": (500, 400, 300),
    "lstm": (400, 300, 200),
    "xl_128": (700, 600, 500),
    "shaw": (400, 400, 300),
    "no_recurrence": (300, 300, 300),
    "transformer": (128, 128, 128),
}
"""Table 8: relative effective context length in words, WikiText-103, by r. Two groups: the first three, and the last four."""

ONE_BILLION_WORD = {"ours": 25.2, "shaw": 25.7, "no_recurrence": 27.1}
"""Table 7: perplexity on a corpus of shuffled sentences, which needs no long dependencies."""

EQUAL_MEMORY = {
    "recurrence_full": (128, 26.77, 27.02, 500),
    "recurrence_half": (128, 28.33, 28.69, 460),
    "plain_full": (176, 27.98, 28.43, 400),
    "plain_half": (172, 28.83, 28.83, 120),
}
"""Table 10, appendix A: with the same GPU memory on WikiText-103, by recurrence and loss: the length of backpropagation, the
best perplexity, that at the length of training, and the attention length of the best."""

ATTENTION_LENGTHS = {"WikiText-103": (384, 1600), "enwik8": (784, 3800)}
"""Section 4.1: attention length in training, and in evaluation."""
