"""What each system computes and keeps for n tokens: formulas, recorded points, and the viewer's own text."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any

import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from txlviz.analysis.system_cost import position_cost, system_cost
from txlviz.commands.measure.landscape_cost import FILE, PRESET
from txlviz.figures import landscape_cost as figures
from txlviz.models import ModelConfig
from txlviz.models.attentions import Settings as Sizes
from txlviz.recorded import RecordError
from txlviz.ui import models, session, theme
from txlviz.ui.chart import chart
from txlviz.ui.landscape.words import ATTENTIONS, ENCODINGS, encoding, label, look, name, prose

Points = tuple[tuple[str, int, float, int], ...]
GROUPS, QUANTITIES = ("attention", "position"), ("flops", "bytes", "seconds")
COMMAND = "python -m txlviz measure landscape-cost"
_GROUPS: dict[str, tuple[tuple[str, ...], Callable[[str], str]]] = {
    "attention": (ATTENTIONS, name),
    "position": (ENCODINGS, encoding),
}
_LENGTHS = tuple(2**power for power in range(6, 14))


def draw(pair: Sequence[str], chosen_encoding: str, sizes: Sizes, n_tokens: int) -> None:
    """Controls, chart, and what it says of the chosen systems.

    Args:
        pair: the attention systems that are picked; ``chosen_encoding`` is the position system.
        sizes: the viewer's; ``n_tokens`` inputs of the viewer's text.
    """
    st.header(prose("cost_head"), anchor=False)
    record = _record()
    with st.container(key="landscape-cost", horizontal=True, vertical_alignment="center", gap="medium"):
        group = _switch("group", GROUPS)
        what = _switch("what", QUANTITIES)
        fused = st.toggle(
            label("fused"), key="landscape_fused", persist_state="session", disabled=what == "flops", help=prose("help_fused")
        )
    config = models.checkpoint(PRESET, "vanilla").config
    counted_with = Sizes(**record["settings"]) if record else sizes
    points = _points(record, group, fused and what != "flops")
    facts = _facts(config, group, counted_with, sizes, n_tokens, points)
    strong = [name(one) for one in pair] if group == "attention" else [encoding(chosen_encoding)]
    own = n_tokens if group == "attention" else None
    own_sizes = sizes if group == "attention" else counted_with
    only = fused and what == "bytes"  # the formula is of scores that are written out
    figure, shown = _drawn(config, group, what, counted_with, own_sizes, own or 0, points, only, tuple(strong), theme.ink())
    left, right = st.columns([1.9, 1], gap="large")
    with left:
        if figure is not None:
            chart(
                figure,
                shown,
                title=label(f"title_{group}_{what}"),
                name=f"txlviz-{group}-{what}",
                alt=label("cost_alt", value=_axis(group, what)),
                key="landscape_cost_chart",
            )
        else:
            st.info(prose("cost_none"))
    with right:
        st.markdown(_source(record, group, what, only))
        st.table(_at_most(facts, strong), border="horizontal")
        with st.expander(prose("cost_fold")):
            taken = {field: getattr(counted_with, field) for field in ("window", "n_global", "block", "rank")}
            st.markdown(prose("cost_fold_text", L=counted_with.segment_length, M=counted_with.memory_length, **taken))
            st.code(COMMAND, language="bash", wrap_lines=True)


def _switch(which: str, options: Sequence[str]) -> str:
    """A segmented control, kept in the address."""
    key = f"landscape_{which}"
    if key not in st.session_state or session.went_back():
        st.session_state[key] = session.read_name(which, options, options[0])
    found = st.segmented_control(
        label(which), options, required=True, format_func=label, key=key, label_visibility="collapsed", persist_state="session"
    )
    chosen = str(found) if found in options else options[0]
    session.write(which, chosen, options[0])
    return chosen


def _record() -> dict[str, Any]:
    """The recorded points; empty where there are none of the weights that are here."""
    try:
        return models.recorded(PRESET, FILE, within="")
    except RecordError:
        return {}


def _points(record: Mapping[str, Any], group: str, fused: bool) -> Points:
    """(system, tokens, seconds, peak bytes) of one kernel."""
    return tuple(
        (one["name"], one["n_tokens"], one["seconds"], one["peak_bytes"])
        for one in record.get(group, ())
        if one["fused"] == fused
    )


@lru_cache(maxsize=64)
def _facts(
    config: ModelConfig,
    group: str,
    counted_with: Sizes,
    own: Sizes,
    n_tokens: int,
    points: Points,
) -> pd.DataFrame:
    """A row each system, length and source; ``flops``, ``bytes`` and ``seconds`` as far as they are known."""
    systems, called = _GROUPS[group]
    rows: list[tuple[Any, ...]] = []
    for one in systems:
        for n in _LENGTHS:
            rows.append((called(one), n, figures.COUNTED, *_counted(config, group, one, n, counted_with), None))
        if group == "attention":
            rows.append((called(one), n_tokens, figures.OWN, *_counted(config, group, one, n_tokens, own), None))
    rows += [(called(one), n, figures.MEASURED, None, peak, seconds) for one, n, seconds, peak in points if one in systems]
    columns = [figures.SYSTEM, figures.LENGTH, figures.KIND, *QUANTITIES]
    return pd.DataFrame(rows, columns=columns).astype(dict.fromkeys(QUANTITIES, "float64"))


@lru_cache(maxsize=64)  # most reruns change nothing here
def _drawn(
    config: ModelConfig,
    group: str,
    what: str,
    counted_with: Sizes,
    own: Sizes,
    n_tokens: int,
    points: Points,
    measured_only: bool,
    strong: tuple[str, ...],
    ink: str,
) -> tuple[go.Figure | None, pd.DataFrame]:
    """The figure, None where nothing is known, and its facts. ``n_tokens`` is 0 where the viewer's text plays no part."""
    systems, called = _GROUPS[group]
    facts, value = _facts(config, group, counted_with, own, n_tokens, points), _axis(group, what)
    shown = facts[[figures.SYSTEM, figures.LENGTH, figures.KIND, what]].dropna().rename(columns={what: value})
    if measured_only:
        shown = shown[shown[figures.KIND] == figures.MEASURED]
    if not len(shown):
        return None, shown
    looks = {called(one): look(one) for one in systems}
    return figures.cost(shown, value, looks, strong, ink, n_tokens or None, seconds=what == "seconds"), shown


def _axis(group: str, what: str) -> str:
    return label(f"axis_{group}_{what}") if what == "flops" else label(f"axis_{what}")


def _counted(config: ModelConfig, group: str, system: str, n: int, sizes: Sizes) -> tuple[int, int]:
    """FLOPs and bytes; of a position system the operations that it adds, and the bytes of the whole layer."""
    if group == "attention":
        cost = system_cost(config, system, n, sizes)
        return cost.flops, cost.peak_bytes
    added = position_cost(config, system, n)
    return added.flops + added.elementwise, added.peak_bytes


def _at_most(facts: pd.DataFrame, strong: Sequence[str]) -> pd.DataFrame:
    """The chosen systems at the longest text, as strings."""
    longest = facts[facts[figures.LENGTH] == _LENGTHS[-1]]
    columns = {}
    for one in dict.fromkeys(strong):
        rows = longest[longest[figures.SYSTEM] == one]
        counted, measured = rows[rows[figures.KIND] == figures.COUNTED], rows[rows[figures.KIND] == figures.MEASURED]
        columns[one] = {
            label("flops"): _short(counted["flops"].max(), ""),
            label("bytes"): _short(counted["bytes"].max(), "B"),
            label("seconds"): f"{measured['seconds'].max():.3g} s" if len(measured) else "–",
        }
    made = pd.DataFrame(columns)
    made.index.name = label("at_length", n=_LENGTHS[-1])
    return made


def _short(number: float, unit: str) -> str:
    """Three digits that count: ``12.6 M``."""
    for size, sign in ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k")):
        if number >= size:
            return f"{number / size:.3g} {sign}{unit}"
    return f"{number:.0f} {unit}".strip()


def _source(record: Mapping[str, Any], group: str, what: str, measured_only: bool) -> str:
    """What the chart's lines, points and stars are, and where the points come from."""
    lines, points = what != "seconds" and not measured_only, what != "flops"
    parts = ["cost_of"]
    if lines:
        parts.append("cost_lines")
    if points:
        parts.append("cost_points" if record else "cost_missing")
    if lines and group == "attention":
        parts.append("cost_stars")
    return " ".join(prose(part, machine=record["machine"]) if part == "cost_points" else prose(part) for part in parts)
