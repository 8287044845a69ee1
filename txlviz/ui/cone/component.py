"""The component: what the browser runs, and what a person picked in it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import streamlit as st

from txlviz.ui import front

_FRONT = Path(__file__).parent / "front"
_SCRIPTS = ("layout.js", "paths.js", "pen.js", "scale.js", "cone.js", "light.js", "strip.js", "said.js", "listen.js", "main.js")

_mount = st.components.v2.component(
    "txlviz_cone",
    html=front.read(_FRONT / "cone.html"),
    css=front.read(front.FACTS_CSS, _FRONT / "cone.css"),
    js=front.script([front.FACTS_JS, *(_FRONT / name for name in _SCRIPTS)]),
)


def mount(data: dict[str, Any], *, key: str, on_pick: Callable[[str, int], None]) -> None:
    """Shows the figure of ``data``.

    Args:
        on_pick: told ``"select"`` or ``"replace"``, and a place of the text.
    """

    def picked() -> None:
        pick = front.state(key).get("pick")
        if not isinstance(pick, dict):
            return
        for what in ("select", "replace"):
            place = pick.get(what)
            if type(place) is int and 0 <= place < data["total"]:  # it comes from a browser
                on_pick(what, place)

    _mount(key=key, data=data, on_pick_change=picked)
