"""The token strip: a text in its segments, the surprise of both models at each token, and one selected token."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import streamlit as st

from txlviz.ui import front

_FRONT = Path(__file__).parent / "front"
_SCRIPTS = ("draw.js", "arcs.js", "hover.js", "picture.js", "export.js", "main.js")  # one module, the entry last


_mount = st.components.v2.component(
    "txlviz_token_strip",
    html=front.read(_FRONT / "strip.html"),
    css=front.read(front.FACTS_CSS, _FRONT / "strip.css"),
    js=front.script([front.FACTS_JS, *(_FRONT / name for name in _SCRIPTS)]),
)


@dataclass(frozen=True)
class Arc:
    """A measured link from a token to an earlier one. Its width is ``value``; less than 0.05 nats is drawn as nothing."""

    source: int
    """Place of the later token."""
    target: int
    """Place of the earlier token."""
    value: float
    """Nats."""
    label: str
    """What is written on it."""


def per_place(losses: Sequence[float]) -> list[float | None]:
    """Losses by place in the inputs, from losses by token: the newline at place 0 has none."""
    return [None, *(float(loss) for loss in losses)]


def token_strip(
    tokens: Sequence[str],
    segments: Sequence[int],
    *,
    xl: Sequence[float | None] | None = None,
    vanilla: Sequence[float | None] | None = None,
    arcs: Sequence[Arc] = (),
    memory: tuple[int, int] | None = None,
    marks: Sequence[tuple[int, int]] = (),
    selected: int | None = None,
    on_select: Callable[[int | None], None] | None = None,
    required: bool = False,
    bar_height: int = 28,
    longest: float | None = None,
    steady: bool = False,
    title: str = "",
    label: str = "Tokens",
    name: str = "tokens",
    key: str,
) -> int | None:
    """Draws the strip. Everything counts in places of the model's inputs: 0 is the newline before the text.

    Args:
        tokens: one for each place, as people read them. Shown as text, never interpreted.
        segments: the place where each segment starts, beginning with 0.
        xl: nats of each token for the Transformer-XL, drawn upwards; None where a token has none.
        vanilla: the same for the vanilla model, drawn downwards, on the same scale.
        arcs: measured links.
        memory: first place and the place after the last one of what is remembered; shaded, fading with age.
        marks: spans that stand out.
        selected: the place that is selected.
        on_select: called with the place that a person picks (None: the selection is taken back), before the page runs again.
            Without it tokens can be looked at, not picked.
        required: one token is always selected: picking it again doesn't take it back.
        bar_height: pixels of the longest bar.
        longest: nats of the longest bar, for strips that are compared; None: the largest loss that is shown.
        steady: for a cut that moves: no token moves with it, since a boundary is a line between two of them and takes no room.
        title: stands above the strip, and says what to see.
        label: what the strip shows, for screen readers.
        name: of the files that can be downloaded.

    Returns:
        The place that was picked in this run, or None.
    """
    data = {
        "tokens": list(tokens),
        "segments": list(segments),
        "xl": _rounded(xl),
        "vanilla": _rounded(vanilla),
        "arcs": [asdict(arc) for arc in arcs],
        "memory": memory,
        "marks": list(marks),
        "selected": selected,
        "selectable": on_select is not None,
        "required": required,
        "barHeight": bar_height,
        "longest": longest,
        "steady": steady,
        "title": title,
        "label": label,
        "name": name,
    }

    def picked() -> None:
        if on_select is not None:
            on_select(_place(st.session_state[key], len(tokens)))

    result = _mount(key=key, data=data, on_pick_change=picked)
    return _place(result, len(tokens))


def _place(state: Any, count: int) -> int | None:
    """The picked place, checked: it comes from a browser."""
    value = state.get("pick")
    return value if isinstance(value, int) and 0 <= value < count else None


def _rounded(losses: Sequence[float | None] | None) -> list[float | None] | None:
    if losses is None:
        return None
    return [None if loss is None or not math.isfinite(loss) else round(float(loss), 4) for loss in losses]
