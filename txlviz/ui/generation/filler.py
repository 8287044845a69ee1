"""Other texts to stand before a prompt, so that a long attention length has something to look at."""

from __future__ import annotations

from functools import cache

import txlviz
from txlviz.analysis.prompts import Prompt, parse
from txlviz.content import sections


@cache
def library() -> dict[str, Prompt]:
    """Name to text, in the library's order."""
    return {prompt.name: prompt for prompt in parse(sections("prompts"))}


def filler(encoder: txlviz.Checkpoint, prompt: str, tokens: int) -> tuple[str, int]:
    """Texts of the library but ``prompt`` itself, a line each, so that with the prompt there are at least ``tokens``; and how
    many tokens they have. The last one stands in full, so there may be some more."""
    missing = tokens - len(encoder.encode(prompt)) - 1  # the newline before every text
    lines: list[str] = []
    found = 0
    for other in library().values():
        if found >= missing:
            break
        if other.text != prompt:
            lines.append(f"{other.text} {other.answer}.\n")
            found += len(encoder.encode(lines[-1]))
    return "".join(lines), found
