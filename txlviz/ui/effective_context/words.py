"""The page's words and colours."""

from __future__ import annotations

from functools import cache

from txlviz.ui import text, theme

PAGE = "effective_context"


def prose(key: str, **values: object) -> str:
    """A section of the page's text, filled in."""
    found = text.prose(PAGE, key)
    return found.format(**values) if values else found


@cache
def labels() -> dict[str, str]:
    """Name to string, from the section ``labels``: one a line, ``name: text``."""
    return dict(line.split(": ", 1) for line in prose("labels").splitlines() if line)


def colours() -> dict[str, str]:
    """``xl`` and ``vanilla`` of the viewer's theme, and ``line`` for rules."""
    return {**theme.model_colours(), "line": "#e8e6e3" if theme.scheme() == "dark" else "#222222"}


def shades() -> tuple[tuple[str, str], ...]:
    """``colours`` as a key of what is kept: ``dict(shades())`` is the same."""
    return tuple(colours().items())


def quoted(token: str) -> str:
    """A token as it is named in a title: a leading space is left out."""
    return token[1:] if len(token) > 1 and token.startswith("␣") else token
