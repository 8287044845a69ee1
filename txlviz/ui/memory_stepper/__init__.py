"""The stepper: one segment after the other, and which rows stand in each layer's memory before and after it.

All steps are in the browser, so that a step takes no answer of the server.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import streamlit as st

from txlviz.ui import front

_FRONT = Path(__file__).parent / "front"
_SCRIPTS = ("facts_of.js", "draw.js", "picture.js", "main.js")  # one module, the entry last

_mount = st.components.v2.component(
    "txlviz_memory_stepper",
    html=front.read(_FRONT / "stepper.html"),
    css=front.read(front.FACTS_CSS, _FRONT / "stepper.css"),
    js=front.script([front.FACTS_JS, *(_FRONT / name for name in _SCRIPTS)]),
)


def memory_stepper(film: dict[str, Any], words: dict[str, str], *, key: str) -> None:
    """Draws the stepper.

    Args:
        film: from ``txlviz.figures.memory_rows.film``.
        words: the short strings of the figure, by name.
    """
    _mount(key=key, data={**film, "words": words})
