"""The page's words and colours."""

from __future__ import annotations

from functools import cache

from txlviz.ui import text, theme

PAGE = "the_study"


def prose(key: str, **values: object) -> str:
    """A section of the page's text, filled in."""
    found = text.prose(PAGE, key)
    return found.format(**values) if values else found


def label(name: str, **values: object) -> str:
    """One of the labels, filled in."""
    return _labels()[name].format(**values)


@cache
def _labels() -> dict[str, str]:
    """Name to string, from the section ``labels``: one a line, ``name: text``."""
    return dict(line.split(": ", 1) for line in prose("labels").splitlines() if line)


def colours() -> dict[str, str]:
    """``xl`` and ``vanilla`` of the viewer's theme, ``line`` for rules and ``paper`` for what is read on a bar."""
    line, paper = ("#e8e6e3", "#0e1117") if theme.scheme() == "dark" else ("#222222", "#ffffff")
    return {**theme.model_colours(), "line": line, "paper": paper}


def lower(percent: float) -> str:
    """``21.5 % lower``, or higher; a whole number, as a guess is, without its decimals."""
    shown = f"{abs(percent):.1f}" if isinstance(percent, float) else str(abs(percent))
    return prose("lower" if percent >= 0 else "higher", percent=shown)


def signed(value: float) -> str:
    """``+0.126`` or ``−0.012``."""
    return f"{value:+.3f}".replace("-", "−")
