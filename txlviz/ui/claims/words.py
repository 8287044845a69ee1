"""The page's words and colours."""

from __future__ import annotations

from txlviz.ui import text, theme

_WORDS = text.Words("claims_checked")
prose, label, labels = _WORDS.prose, _WORDS.label, _WORDS.labels
colours = theme.figure_colours

GROUPS = {
    "quality": (1, 2, 8, 21, 25, 26),
    "reach": (3, 4, 10, 13, 16, 24),
    "memory": (7, 11, 15, 18, 23),
    "positions": (5, 6, 14, 17, 22, 27),
    "others": (9, 12, 19, 20),
    "later": (28, 29),
}
"""The claims of each group, in its order."""
PAGES = {
    1: "the_study",
    2: "the_study",
    3: "recurrence_and_memory",
    4: "effective_context",
    5: "score_terms",
    6: "relative_positions",
    7: "the_study",
    8: "speed_and_generation",
    9: "speed_and_generation",
    10: "effective_context",
    11: "recurrence_and_memory",
    12: "context_fragmentation",
    13: "recurrence_and_memory",
    14: "score_terms",
    15: "relative_positions",
    16: "recurrence_and_memory",
    17: "landscape",
    18: "recurrence_and_memory",
    19: "landscape",
    20: "landscape",
    21: "the_study",
    22: "relative_positions",
    23: "the_study",
    24: "effective_context",
    25: "context_fragmentation",
    26: "landscape",
    27: "landscape",
    28: "landscape",
    29: "landscape",
}
"""The page of this app that shows more of a claim."""
