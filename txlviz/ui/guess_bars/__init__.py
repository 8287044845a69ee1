"""What each model expects next, as bars side by side on one scale."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import streamlit as st

from txlviz import Guess

_FRONT = Path(__file__).parent / "front"
_NAMES = {"xl": "Transformer-XL", "vanilla": "Vanilla"}


def _read(name: str) -> str:
    return (_FRONT / name).read_text(encoding="utf-8")


_mount = st.components.v2.component(
    "txlviz_guess_bars", html='<div class="guesses"></div>', css=_read("bars.css"), js=_read("bars.js")
)


def guess_bars(guesses: Mapping[str, Sequence[Guess]], *, key: str) -> None:
    """Draws one column for each model (``xl``, ``vanilla``). The tokens are data: shown as text, never interpreted."""
    columns = [
        {"kind": kind, "name": _NAMES[kind], "guesses": [[guess.token, guess.probability] for guess in best]}
        for kind, best in guesses.items()
    ]
    _mount(key=key, data={"columns": columns})
