"""What evaluation costs: recorded, and measured here on a button; the FLOPs and the paper's numbers beside it."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import pandas as pd
import streamlit as st

from txlviz.analysis.eval_speed import LENGTHS, PAPER, SpeedPoint, steps
from txlviz.commands.benchmark import FILE, row
from txlviz.figures import speed
from txlviz.recorded import RecordError
from txlviz.ui import models
from txlviz.ui.chart import chart
from txlviz.ui.generation.words import NAMES, colours, labels, prose

_JOB = "sg_measuring"
_ROUNDS = 3
_BURST, _POLL = 0.25, 0.1
LENGTH, TIME, FLOPS, TIMES = (
    "Attention length (tokens)",
    "Milliseconds a scored token",
    "FLOPs a scored token",
    "Times as fast, or as few FLOPs",
)


@dataclass
class Measuring:
    """One measurement of this session: on its way, or ended. It runs only while it is asked: no thread."""

    preset: str
    points: list[dict[str, Any]] = field(default_factory=list)
    status: str = "running"
    _rest: Iterator[SpeedPoint | None] | None = None
    _asked: threading.Lock = field(default_factory=threading.Lock)

    def advance(self, seconds: float) -> None:
        """Measures for about so long: pieces of a layer each. While a piece runs, a second call returns at once."""
        if not self._asked.acquire(blocking=False):
            return
        try:
            end = time.monotonic() + seconds
            while self.status == "running":
                self._piece()
                if time.monotonic() >= end:
                    return
        finally:
            self._asked.release()

    def _piece(self) -> None:
        xl, vanilla = (models.checkpoint(self.preset, kind) for kind in ("xl", "vanilla"))
        if self._rest is None:
            self._rest = steps(xl, vanilla, LENGTHS[len(self.points)], _ROUNDS)
        point = next(self._rest)
        if point is None or self.status != "running":
            return
        self.points.append(row(xl, vanilla, point))
        self._rest = None
        if len(self.points) == len(LENGTHS):
            self.status = "done"

    def cancel(self) -> None:
        """Ends it; the points so far stay."""
        self.status = "cancelled"


def draw(preset: str) -> None:
    """Sentence, button, three charts."""
    st.header(prose("cost_head"), anchor=False)
    record = _recorded(preset)
    measured = _measured(preset)
    points = measured.points if measured is not None and measured.points else (record or {}).get("points", [])
    st.markdown(_sentence(preset, points))
    _button(preset, record, measured)
    sources = {labels()["recorded"]: record["points"]} if record else {}
    if measured is not None and measured.points:
        sources[labels()["now"]] = measured.points
    if points:
        _charts(sources, points)
    with st.expander(prose("cost_fold")):
        st.markdown(_why(points, record))
        st.markdown(prose("cost_how"))


def _button(preset: str, record: dict[str, Any] | None, measured: Measuring | None) -> None:
    button, note = st.columns([1, 4], vertical_alignment="center")
    busy = measured is not None and measured.status == "running"
    if busy:
        button.button(labels()["cancel"], key="sg_cancel", on_click=_cancel)
        with note:
            _live()
        return
    button.button(labels()["measure"], key="sg_measure", on_click=_start, args=(preset,))
    said = []
    if record:
        at = "" if record["load"] is None else prose("load", load=record["load"])
        said.append(prose("recorded", machine=record["machine"], rounds=record["rounds"], load=at))
    else:
        said.append(prose("cost_missing"))
    if measured is not None:
        said.append(prose(f"measured_{measured.status}", count=len(measured.points), rounds=_ROUNDS))
    note.caption(" ".join(said))


@st.fragment(run_every=_POLL)
def _live() -> None:
    job: Measuring = st.session_state[_JOB]
    with models.at_work():
        job.advance(_BURST)
    done = len(job.points)
    if job.status != "running":
        st.rerun()
    st.progress(_share(done), prose("measuring", length=LENGTHS[done], done=done, count=len(LENGTHS)))


def _share(done: int) -> float:
    """By the work: the last lengths take the most."""
    return sum(LENGTHS[:done]) / sum(LENGTHS)


def _start(preset: str) -> None:
    st.session_state[_JOB] = Measuring(preset)


def _cancel() -> None:
    job: Measuring | None = st.session_state.get(_JOB)
    if job is not None and job.status == "running":
        job.cancel()


def _measured(preset: str) -> Measuring | None:
    """This session's measurement of these models; one of other models is ended."""
    job: Measuring | None = st.session_state.get(_JOB)
    if job is not None and job.preset != preset:
        _cancel()
        return None
    return job


def _recorded(preset: str) -> dict[str, Any] | None:
    try:
        return models.recorded(preset, FILE)
    except RecordError:
        return None


def _sentence(preset: str, points: list[dict[str, Any]]) -> str:
    if not points:
        return prose("cost")
    last = points[-1]
    found = prose(
        "cost_found",
        length=last["attention_length"],
        layers=models.layers_label(preset),
        xl=1000 * last["xl_seconds"],
        vanilla=1000 * last["vanilla_seconds"],
        clock=_clock(last),
        flops=_flops(last),
        dense=_dense(last),
    )
    return f"{prose('cost')} {found} {prose('paper')}"


def _why(points: list[dict[str, Any]], record: dict[str, Any] | None) -> str:
    """Why the clock and the FLOPs differ: the speed at which each model does its FLOPs, and where the time goes."""
    if not points:
        return ""
    last = points[-1]
    rates = {kind: last[f"{kind}_flops"] / last[f"{kind}_seconds"] / 1e9 for kind in ("xl", "vanilla")}
    said = prose("cost_why", length=last["attention_length"], **rates, clock=_clock(last), flops=_flops(last))
    if record:
        shares = {f"{kind}_{part}": 100 * share for kind, parts in record["shares"].items() for part, share in parts.items()}
        said = f"{said} {prose('cost_shares', length=record['points'][-1]['attention_length'], **shares)}"
    return said


def _clock(point: dict[str, Any]) -> float:
    return float(point["vanilla_seconds"] / point["xl_seconds"])


def _flops(point: dict[str, Any]) -> float:
    return float(point["vanilla_flops"] / point["xl_flops"])


def _dense(point: dict[str, Any]) -> float:
    return float(point["vanilla_flops_dense"] / point["xl_flops"])


def _charts(sources: dict[str, list[dict[str, Any]]], points: list[dict[str, Any]]) -> None:
    words = labels()
    times = pd.DataFrame(
        [
            (
                one["attention_length"],
                NAMES[kind],
                source,
                1000 * one[f"{kind}_seconds"],
                1000 * one[f"{kind}_processor_seconds"],
            )
            for source, found in sources.items()
            for kind in NAMES
            for one in found
        ],
        columns=[LENGTH, speed.MODEL, speed.FROM, TIME, "Of them of the processor's time"],
    )
    counted = pd.DataFrame(
        [(one["attention_length"], NAMES[kind], one[f"{kind}_flops"]) for kind in NAMES for one in points],
        columns=[LENGTH, speed.MODEL, FLOPS],
    )
    ratios = (("by_clock", _clock), ("by_flops", _flops), ("by_dense", _dense))
    rows = [(one["attention_length"], words[name], ratio(one)) for name, ratio in ratios for one in points]
    rows += [(length, words["by_paper"], float(times_as_fast)) for length, times_as_fast in PAPER.items()]
    ups = pd.DataFrame(rows, columns=[LENGTH, speed.FROM, TIMES])
    parts = (
        ("time", speed.by_length(times, LENGTH, TIME, colours(), 350), times),
        ("flops", speed.by_length(counted, LENGTH, FLOPS, colours(), 350), counted),
        ("times", speed.speed_up(ups, LENGTH, TIMES, colours(), 350), ups),
    )
    for column, (what, figure, facts) in zip(st.columns([1, 1, 1.15], gap="medium"), parts, strict=True):
        with column:
            chart(
                figure,
                facts,
                title=words[f"{what}_title"],
                name=f"evaluation-{what}",
                alt=words[f"{what}_alt"],
                key=f"sg_{what}",
            )
