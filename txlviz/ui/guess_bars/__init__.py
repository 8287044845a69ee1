"""What each model expects next, as bars side by side on one scale."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import streamlit as st

from txlviz import Guess
from txlviz.ui import front

_FRONT = Path(__file__).parent / "front"
_NAMES = {"xl": "Transformer-XL", "vanilla": "Vanilla"}

_mount = st.components.v2.component(
    "txlviz_guess_bars",
    html='<div class="guesses"></div>',
    css=front.read(_FRONT / "bars.css"),
    js=front.script([_FRONT / "bars.js"]),
)


def guess_bars(guesses: Mapping[str, Sequence[Guess]], *, key: str) -> None:
    """Draws one column for each model (``xl``, ``vanilla``). The tokens are data: shown as text, never interpreted."""
    columns = [
        {"kind": kind, "name": _NAMES[kind], "guesses": [[guess.token, guess.probability] for guess in best]}
        for kind, best in guesses.items()
    ]
    _mount(key=key, data={"columns": columns})
