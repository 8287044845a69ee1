"""What evaluation costs: recorded, and measured here on a button; the FLOPs and the paper's numbers beside it."""

from __future__ import annotations

from typing import Any

import streamlit as st

from txlviz.analysis.eval_record import FILE, clock, dense, flops
from txlviz.analysis.eval_speed import LENGTHS
from txlviz.recorded import RecordError
from txlviz.ui import models
from txlviz.ui.generation.cost_charts import charts
from txlviz.ui.generation.measuring import ROUNDS, Measuring
from txlviz.ui.generation.words import labels, prose

_JOB = "sg_measuring"
_BURST, _POLL = 0.25, 0.1


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
        charts(sources, points)
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
        said.append(prose(f"measured_{measured.status}", count=len(measured.points), rounds=ROUNDS))
    note.caption(" ".join(said))


@st.fragment(run_every=_POLL)
def _live() -> None:
    job: Measuring = st.session_state[_JOB]
    with models.at_work():
        job.advance(_BURST)
    if job.status != "running":
        st.rerun()
    st.progress(job.share, prose("measuring", length=job.length, done=len(job.points), count=len(LENGTHS)))


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
        clock=clock(last),
        flops=flops(last),
        dense=dense(last),
    )
    return f"{prose('cost')} {found} {prose('paper')}"


def _why(points: list[dict[str, Any]], record: dict[str, Any] | None) -> str:
    """Why the clock and the FLOPs differ: the speed at which each model does its FLOPs, and where the time goes."""
    if not points:
        return ""
    last = points[-1]
    rates = {kind: last[f"{kind}_flops"] / last[f"{kind}_seconds"] / 1e9 for kind in ("xl", "vanilla")}
    said = prose("cost_why", length=last["attention_length"], **rates, clock=clock(last), flops=flops(last))
    if record:
        shares = {f"{kind}_{part}": 100 * share for kind, parts in record["shares"].items() for part, share in parts.items()}
        said = f"{said} {prose('cost_shares', length=record['points'][-1]['attention_length'], **shares)}"
    return said
