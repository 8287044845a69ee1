"""The folded parts of the Echo test: the relay experiment, and how everything was recorded."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from txlviz.figures import echo
from txlviz.tasks import grid, relay, shipped
from txlviz.tasks.echo import EchoTask, in_sight
from txlviz.tasks.record import Cell, Record, Relay
from txlviz.ui import theme
from txlviz.ui.chart import chart
from txlviz.ui.echo import view
from txlviz.ui.echo.words import prose

# The Transformer-XL's hue, from its paler to its fuller tones; the dashes tell the lines apart as well.
_TONES: dict[theme.Scheme, tuple[str, ...]] = {
    "light": ("#B3A6EA", "#8A78D6", "#5D48B4", "#332288", "#222222"),
    "dark": ("#5E53A6", "#7F73CF", "#A79BF2", "#D9D3FF", "#E8E6E3"),
}


def relays(record: Record) -> None:
    """Which runs learned to pass a symbol on."""
    with st.expander(prose("relay_fold")):
        groups = {_label(run): [other for other in record.relay if _label(other) == _label(run)] for run in _ordered(record)}
        found = "; ".join(
            prose("relay_found", label=label, learned=sum(run.learned for run in runs), runs=len(runs))
            for label, runs in groups.items()
        )
        need = relay.DELAY - 1
        least, most = relay.MEMORY, relay.MEMORY + relay.LENGTH - 1
        sizes = {"L": relay.LENGTH, "M": relay.MEMORY, "delay": relay.DELAY, "segments": relay.SEGMENTS}
        st.markdown(prose("relay_text", need=need, least=least, most=most, found=found, **sizes))
        runs = _ordered(record)
        lines = [
            {"label": _label(run), "seed": run.seed, "segments_a_point": run.segments_a_point, "curve": run.curve}
            for run in runs
        ]
        colours = dict(zip(groups, _TONES[theme.scheme()], strict=False))
        task = EchoTask(relay.DELAY)
        chart(
            echo.relay(lines, view.levels(task), colours, theme.ink()),
            pd.DataFrame([_row(run) for run in runs]),
            title=prose("relay_title"),
            name="echo-relay",
            alt="Share of right answers over the segments read, a line a run.",
            key="echo-relay",
        )
        st.table(_summary(groups), border="horizontal")


def how(record: Record) -> None:
    """The settings of the grid, and what each model of it learned."""
    with st.expander(prose("how_fold")):
        steps = {f"{kind}_steps": most for kind, most in grid.STEPS.items()}
        batch = {f"{kind}_batch": size for kind, size in grid.BATCH.items()}
        st.markdown(prose("how_text", shipped_steps=f"{shipped.SHIPPED['xl'][1].steps:,}", **steps, **batch))
        st.caption(prose("how_title"))
        st.table(learned(record), border="horizontal")


def learned(record: Record) -> pd.DataFrame:
    """A row a D, a column a training M (and the vanilla model): the share right where the source is in sight, or "no"."""
    rows = {}
    for delay in record.delays():
        cells = {f"{m}": record.cell("xl", delay, m) for m in record.trained_memories()}
        cells["Vanilla"] = record.cell("vanilla", delay)
        rows[f"{delay}"] = {head: _outcome(cell) for head, cell in cells.items()}
    return pd.DataFrame(rows).T


def _summary(groups: dict[str, list[Relay]]) -> pd.DataFrame:
    """A row a way of training: how many runs learned, and after how many segments."""
    rows = {}
    for label, runs in groups.items():
        after = ", ".join(f"{run.steps * run.gradient_segments:,}" for run in runs if run.learned)
        rows[label] = {"Learned": f"{sum(run.learned for run in runs)} of {len(runs)}", "After segments": after or "–"}
    return pd.DataFrame(rows).T


def _outcome(cell: Cell | None) -> str:
    if cell is None:
        return "?"
    seen = in_sight(cell.delay, len(cell.accuracy[cell.trained_memory]), cell.trained_memory)
    if not seen.any():
        return "–"
    share = cell.accuracy[cell.trained_memory][seen].mean()
    return f"{share:.2f}" if cell.learned else "no"


def _ordered(record: Record) -> list[Relay]:
    return sorted(record.relay, key=lambda run: (run.memory, run.gradient_segments, run.seed))


def _label(run: Relay) -> str:
    if run.memory != relay.MEMORY:
        return prose("relay_control", M=run.memory)
    return prose("relay_sg") if run.gradient_segments == 1 else prose("relay_k", k=run.gradient_segments)


def _row(run: Relay) -> dict[str, object]:
    return {
        "Trained with": _label(run),
        "Random start": run.seed,
        "Steps": run.steps,
        "Segments read": run.steps * run.gradient_segments,
        "Share right in the end": round(float(run.accuracy.mean()), 3),
        "Learned": "yes" if run.learned else "no",
    }
