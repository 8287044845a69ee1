"""The page's words and colours."""

from __future__ import annotations

from txlviz.ui import text, theme

PAGE = "the_study"
_WORDS = text.Words(PAGE)
prose, label = _WORDS.prose, _WORDS.label


def colours() -> dict[str, str]:
    """The colours of figures, and ``paper`` for what is read on a bar."""
    return {**theme.figure_colours(), "paper": "#0e1117" if theme.scheme() == "dark" else "#ffffff"}


def lower(percent: float) -> str:
    """``21.5 % lower``, or higher; a whole number, as a guess is, without its decimals."""
    shown = f"{abs(percent):.1f}" if isinstance(percent, float) else str(abs(percent))
    return prose("lower" if percent >= 0 else "higher", percent=shown)


def signed(value: float) -> str:
    """``+0.126`` or ``−0.012``."""
    return f"{value:+.3f}".replace("-", "−")
