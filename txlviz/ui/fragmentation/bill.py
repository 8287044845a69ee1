"""The O(n²) bill: counted for any length, measured at some."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any

import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from txlviz.analysis.attention_cost import Cost, attention_cost
from txlviz.analysis.attention_timing import WAYS, Point, attention_point
from txlviz.commands.measure.attention import FILE
from txlviz.figures import fragmentation_cost as figures
from txlviz.models import ModelConfig
from txlviz.recorded import RecordError
from txlviz.ui import models
from txlviz.ui.chart import chart
from txlviz.ui.fragmentation.words import colours, label, labels, prose
from txlviz.ui.session import Settings

Points = tuple[Point, ...]

_MEASURED = "attention_measured"
_LENGTHS = (64, 128, 256, 512, 1024, 2048)  # the longest takes about 150 MB and, on a slow machine, a second or two
_COUNTED = tuple(2**power for power in range(5, 15))


def draw(settings: Settings, n: int) -> None:
    """Formula, button and four charts; ``n`` is the number of inputs of the viewer's text."""
    config = models.checkpoint(settings.preset, "vanilla").config
    L, M = settings.segment_length, settings.memory_length
    own = {way: _cost(config, way, n, L, M) for way in ("whole", "segments", "xl")}
    st.markdown(prose("bill"))
    entries = {way: cost.entries for way, cost in own.items()}
    st.markdown(prose("bill_counted", n=n, **entries))
    button, source = st.columns([1, 3], vertical_alignment="center")
    pressed = button.button(labels()["bill_button"], key="measure")
    note = source.empty()
    if pressed:
        _measure(settings, note)
    points, said = _points(settings)
    note.caption(said)
    _charts(config, settings, points, n)
    with st.expander(prose("bill_fold")):
        st.markdown(prose("bill_fold_text", n=n, heads=config.n_heads, width=config.d_head, **_flops(own)))


def _charts(config: ModelConfig, settings: Settings, points: Points, n: int) -> None:
    words, shades = labels(), colours()
    L, M = settings.segment_length, settings.memory_length
    for row in (("entries", "flops"), ("bytes", "seconds")):
        for column, what in zip(st.columns(2, gap="large"), row, strict=True):
            drawn = _drawn(what, config, L, M, points, n, tuple(shades.items()))
            if drawn is None:
                continue
            with column:
                chart(
                    drawn[0],
                    drawn[1],
                    title=words[f"bill_{what}_title"],
                    name=f"attention-{what}",
                    alt=words["bill_alt"].format(value=words[f"bill_{what}"]),
                    key=f"bill_{what}",
                )


@lru_cache(maxsize=64)  # a moved cut changes nothing here
def _drawn(
    what: str, config: ModelConfig, L: int, M: int, points: Points, n: int, shades: tuple[tuple[str, str], ...]
) -> tuple[go.Figure, pd.DataFrame] | None:
    """One quantity's figure and facts; None where nothing is known of it."""
    counted, measured = _counted(config, L, M), _table(points)
    parts = [counted] if what in counted else []
    if what in measured and len(measured):
        parts.append(measured)
    if not parts:
        return None
    columns = [figures.LENGTH, figures.WAY, figures.KIND, what]
    value = labels()[f"bill_{what}"]
    facts = pd.concat([part[columns] for part in parts], ignore_index=True).rename(columns={what: value})
    return figures.cost(facts, value, n, dict(shades)), facts


def _cost(config: ModelConfig, way: str, n: int, L: int, M: int) -> Cost:
    return attention_cost(config, n, None if way == "whole" else L, M if way == "xl" else None)


@lru_cache(maxsize=256)
def _counted(config: ModelConfig, L: int, M: int) -> pd.DataFrame:
    """What the formulas say, a row each way and length."""
    rows: list[dict[str, Any]] = []
    for way in ("whole", "segments", "xl"):
        for n in _COUNTED:
            cost = _cost(config, way, n, L, M)
            row = {figures.LENGTH: n, figures.WAY: figures.WAYS[way], figures.KIND: figures.COUNTED}
            rows.append({**row, "entries": cost.entries, "flops": cost.flops, "bytes": cost.score_bytes})
    return pd.DataFrame(rows)


def _points(settings: Settings) -> tuple[Points, str]:
    """The points to show, and where they come from: measured here, if asked for, else recorded."""
    L, M = settings.segment_length, settings.memory_length
    key, live = st.session_state.get(_MEASURED, (None, []))
    if live and key == (settings.preset, L, M):
        return tuple(live), label("bill_live", L=L, M=M)
    try:
        record = models.recorded(models.DEFAULT_PRESET, FILE)
    except RecordError:
        return (), prose("bill_missing")
    said = label("bill_recorded", machine=record["machine"], L=record["segment_length"], M=record["memory_length"])
    return tuple(Point(**one) for one in record["points"]), said


def _table(points: Points) -> pd.DataFrame:
    rows = [(one.n_tokens, figures.WAYS[one.way], figures.MEASURED, one.seconds, one.peak_bytes) for one in points]
    return pd.DataFrame(rows, columns=[figures.LENGTH, figures.WAY, figures.KIND, "seconds", "bytes"])


def _measure(settings: Settings, slot: Any) -> None:
    """Point by point, so that a moved slider isn't kept waiting; what is measured so far stays."""
    xl, vanilla = (models.checkpoint(settings.preset, kind) for kind in ("xl", "vanilla"))
    L, M = settings.segment_length, settings.memory_length
    found: list[Point] = []
    st.session_state[_MEASURED] = ((settings.preset, L, M), found)
    tasks = [(way, n) for n in _LENGTHS for way in WAYS]
    for done, (way, n) in enumerate(tasks):
        slot.progress(done / len(tasks), label("bill_measuring", way=figures.WAYS[way].lower(), n=n))
        found.append(attention_point(xl, vanilla, way, n, L, M))


def _flops(own: dict[str, Cost]) -> dict[str, str]:
    parts = {"projection": "projection_flops", "attention": "attention_flops"}
    return {f"{way}_{part}": _short(getattr(cost, name)) for way, cost in own.items() for part, name in parts.items()}


def _short(number: int) -> str:
    """Three digits that count, with a word for the size: ``12.6 million``."""
    for size, word in ((10**9, "billion"), (10**6, "million"), (10**3, "thousand")):
        if number >= size:
            return f"{number / size:.{max(0, 2 - int(math.log10(number / size)))}f} {word}"
    return str(number)
