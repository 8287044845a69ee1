"""How much a text repeats itself: distinct-n and two measures of repetition."""

from __future__ import annotations

from collections.abc import Sequence


def distinct_n(tokens: Sequence[int], n: int) -> float | None:
    """(0 to 1) distinct n-grams divided by all n-grams; None where the text is shorter than n.

    Li et al. 2016 (arXiv 1510.03055, section 5.2) divide by the number of tokens, T; here, as is common since, the divisor is
    the number of n-grams, T - n + 1, so that a text without any repetition has 1 for every n.
    """
    if n < 1:
        raise ValueError(f"n is {n}; it must be at least 1")
    grams = [tuple(tokens[start : start + n]) for start in range(len(tokens) - n + 1)]
    return len(set(grams)) / len(grams) if grams else None


def repeated_4_grams(tokens: Sequence[int]) -> float | None:
    """(0 to 1) seq-rep-4 of Welleck et al. 2020 (arXiv 1908.04319, section 6): 1 - distinct-4."""
    distinct = distinct_n(tokens, 4)
    return None if distinct is None else 1 - distinct


def repeated_tokens(tokens: Sequence[int], within: int = 16) -> float | None:
    """(0 to 1) the share of tokens that are among the ``within`` tokens before them; None for an empty text.

    After rep/l of Welleck et al. 2020 (section 6), with the text's own tokens in the place of a model's likeliest ones. The
    first token counts, though nothing stands before it.
    """
    if within < 1:
        raise ValueError(f"within is {within}; it must be at least 1")
    again = [token in tokens[max(0, place - within) : place] for place, token in enumerate(tokens)]
    return sum(again) / len(again) if again else None
