"""The page's words and colours."""

from __future__ import annotations

from txlviz.ui import text, theme

PAGE = "effective_context"
_WORDS = text.Words(PAGE)
prose, labels = _WORDS.prose, _WORDS.labels
colours = theme.figure_colours


def shades() -> tuple[tuple[str, str], ...]:
    """``colours`` as a key of what is kept: ``dict(shades())`` is the same."""
    return tuple(colours().items())


def quoted(token: str) -> str:
    """A token as it is named in a title: a leading space is left out."""
    return token[1:] if len(token) > 1 and token.startswith("␣") else token
