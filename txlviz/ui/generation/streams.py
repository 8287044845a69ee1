"""Two streams of tokens side by side, with their clocks: the component."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import streamlit as st

from txlviz.ui import front, models
from txlviz.ui.generation.run import KINDS, Run, Side
from txlviz.ui.generation.words import NAMES, labels, prose

_FRONT = Path(__file__).parent / "front"
_TAIL = 160  # characters of the prompt that are shown

_mount = st.components.v2.component(
    "txlviz_token_streams",
    html=front.read(_FRONT / "streams.html"),
    css=front.read(front.FACTS_CSS, _FRONT / "streams.css"),
    js=front.script([front.FACTS_JS, _FRONT / "streams.js"]),
)


def streams(run: Run, growth: Mapping[str, str]) -> None:
    """Draws what was made so far. All text is data: shown as it is, never interpreted.

    Args:
        growth: ``xl`` and ``vanilla`` to a few words that set the time beside that of half the attention length; may be empty.
    """
    words, asked = labels(), run.asked
    done = len(run.sides["vanilla"].tokens)
    data: dict[str, Any] = {
        "title": prose("streams_title", A=asked.attention_length, layers=models.layers_label(asked.preset)),
        "name": f"streams-A{asked.attention_length}-seed{asked.seed}",
        "run": run.number,
        "status": run.status,
        "state": words[f"state_{run.status}"].format(done=done, count=asked.count),
        "share": done / asked.count,
        "tail": ("…" if len(asked.prompt) > _TAIL else "") + asked.prompt[-_TAIL:],
        "sides": [
            {"kind": kind, "name": NAMES[kind], "growth": growth.get(kind, ""), **_side(run.sides[kind], words[f"note_{kind}"])}
            for kind in KINDS
        ],
        "labels": {key: words[key] for key in ("last", "mean", "middle", "unit")},
        "heads": [words["table_place"]],
        "rows": [],
    }
    if run.status != "running":
        data["heads"], data["rows"] = facts(run)
    _mount(key="token_streams", data=data)


def facts(run: Run) -> tuple[list[str], list[list[Any]]]:
    """The table: a row each place, both models' tokens with their milliseconds."""
    words = labels()
    heads: list[str] = [words["table_place"]]
    columns: list[list[Any]] = []
    for kind in KINDS:
        side = run.sides[kind]
        heads += [words["table_token"].format(name=NAMES[kind]), words["table_time"].format(name=NAMES[kind])]
        columns += [side.checkpoint.tokenizer.show(side.tokens), [_ms(one) for one in side.seconds]]
    length = max(len(column) for column in columns)
    padded = [column + [None] * (length - len(column)) for column in columns]
    return heads, [[place + 1, *row] for place, row in enumerate(zip(*padded, strict=True))]


def _side(side: Side, note: str) -> dict[str, Any]:
    seconds = side.seconds
    return {
        "note": note,
        "text": side.text,
        "last": _ms(seconds[-1]) if len(seconds) > 1 else None,
        "mean": None if side.mean is None else _ms(side.mean),
        "median": None if side.median is None else _ms(side.median),
    }


def _ms(seconds: float) -> float:
    return float(f"{1000 * seconds:.4g}")
