"""The components of the page: the cards to pick from, one pattern, and a list of facts."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import streamlit as st

from txlviz.ui import front, session
from txlviz.ui.landscape.words import labels

_FRONT = Path(__file__).parent / "front"
_UI = Path(__file__).parents[1]
_SHARED = (
    front.FACTS_JS,
    _UI / "score_maps" / "front" / "10_decode.js",  # unpack
    _UI / "score_maps" / "front" / "20_format.js",  # fill, signed, percent
    _UI / "cone" / "front" / "pen.js",  # Pen, INK
    _FRONT / "ink.js",
)
_CSS = front.read(front.FACTS_CSS, _FRONT / "pattern.css")

_mount_picker = st.components.v2.component(
    "txlviz_landscape_picker",
    html=front.read(_FRONT / "picker.html"),
    css=_CSS + front.read(_FRONT / "picker.css"),
    js=front.script([*_SHARED, _FRONT / "picker.js"]),
)
_mount_pattern = st.components.v2.component(
    "txlviz_landscape_pattern",
    html=front.read(_FRONT / "pattern.html"),
    css=_CSS,
    js=front.script([*_SHARED, _FRONT / "pattern_draw.js", _FRONT / "pattern_main.js"]),
)
_mount_facts = st.components.v2.component(
    "txlviz_landscape_facts",
    html='<dl class="list"></dl>',
    css=front.read(_FRONT / "facts_list.css"),
    js=front.script([_FRONT / "facts_list.js"]),
)


def facts(said: Mapping[str, str], *, key: str) -> None:
    """Shows a few facts, each with its name."""
    _mount_facts(key=key, data={"facts": [list(one) for one in said.items()]})


def picker(data: dict[str, Any], systems: Sequence[str], *, key: str, on_pick: Callable[[str], None]) -> None:
    """Shows the cards. ``on_pick`` is told the system of a clicked card."""

    def picked() -> None:
        system = front.state(key).get("system")
        if isinstance(system, str) and system in systems:  # it comes from a browser
            on_pick(system)

    _mount_picker(key=key, data=data, on_system_change=picked)


def pattern(block: bytes, n_inputs: int, *, key: str) -> None:
    """Shows a pattern of ``figures.landscape.pattern``. A click selects the query's token for all pages."""

    def clicked() -> None:
        place = front.state(key).get("place")
        if type(place) is int and 0 <= place < n_inputs:
            session.select_token(place)

    _mount_pattern(key=key, data=block, on_place_change=clicked)


def words() -> dict[str, str]:
    """Those of the labels that a pattern says in the browser."""
    own = ("axis", "row_", "bar_", "says_", "table_", "back", "later")
    return {key: said for key, said in labels().items() if key.startswith(own)}
