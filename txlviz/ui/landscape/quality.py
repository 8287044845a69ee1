"""Quality at the same budget: what the recorded runs score, beside the paper's ablation."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

import pandas as pd
import streamlit as st

from txlviz.analysis import landscape_record
from txlviz.analysis.landscape_record import LandscapeRecord
from txlviz.recorded import RecordError
from txlviz.ui import models, text
from txlviz.ui.landscape import paper, quality_charts
from txlviz.ui.landscape.quality_charts import perplexity
from txlviz.ui.landscape.words import ENCODINGS, label, prose

FOLDER = models.CHECKPOINTS / "landscape"
COMMAND = "python -m txlviz measure landscape"


def read() -> LandscapeRecord:
    """The record of the runs; RecordError where there is none of the weights that are shipped."""
    return _read(FOLDER, models.stamp(FOLDER / landscape_record.FILE))


@lru_cache(maxsize=4)
def _read(folder: Path, stamp: int) -> LandscapeRecord:
    """``stamp`` changes when the file is written anew."""
    return landscape_record.read(folder)


def draw() -> None:
    """The ablation, longer segments, windows, and all runs as a table."""
    st.header(prose("quality_head"), anchor=False)
    try:
        record = read()
    except RecordError as error:
        st.info(prose("quality_missing"))
        st.code(f"{models.without_place(error)}\n{COMMAND}", language=None, wrap_lines=True)
        record = None
    if record is not None and record.runs:
        shape = said(record)
        st.markdown(prose("quality") + (f" {shape}" if shape else ""))
        quality_charts.ablation(record)
        left, right = st.columns([1.15, 1], gap="large")
        with left:
            quality_charts.lengths(record)
        with right:
            quality_charts.strides(record)
    with st.expander(prose("quality_fold")):
        if record is not None and record.runs:
            settings = record.settings
            prefix = next((run["prefix"]["tokens"] for run in record.runs.values() if "prefix" in run), 0)
            targets = settings["steps"] * settings["batch_size"] * settings["segment_length"]
            numbers = {
                "steps": settings["steps"],
                "M": settings["memory"]["lengths"][0],
                "targets": targets,
                "half": targets // 2,
            }
            st.markdown(prose("quality_fold_text", tokens=prefix, **numbers))
            if changed := half_said(record):
                st.markdown(changed)
            st.table(table(record), border="horizontal", hide_index=True)
        st.caption(text.prose("common", "scored_text"))
        st.markdown(prose("paper_table"))
        st.table(paper.table(), border="horizontal", hide_index=True)
        st.markdown(prose("commands"))
        st.code(COMMAND, language="bash", wrap_lines=True)


def said(record: LandscapeRecord) -> str:
    """What encoding and recurrence each take off the perplexity, as Markdown; empty while runs are missing."""
    plain = {loss: perplexity(record, f"sinusoids-{loss}") for loss in ("full", "half")}
    known = {loss: found for loss, found in plain.items() if found is not None}
    encoded, both = (perplexity(record, name) for name in ("xl-full", "xl-recurrent-full"))
    if len(known) < len(plain) or encoded is None or both is None:
        return ""
    loss = min(known, key=lambda one: known[one])
    found = prose(
        "quality_shape",
        base=label("half" if loss == "half" else "whole"),
        encoding=_less(encoded, known[loss]),
        recurrence=_less(both, encoded),
        both=_less(both, known[loss]),
        paper_encoding=paper.lower("xl", False, "sinusoids", True),
        paper_recurrence=paper.lower("xl-recurrent", False, "xl", False),
        paper_both=paper.lower("xl-recurrent", False, "sinusoids", True),
    )
    alone, carried = (perplexity(record, f"shaw{way}-full") for way in ("", "-recurrent"))
    if alone is None or carried is None:
        return found
    shaw = prose("quality_shaw", recurrence=_less(carried, alone), paper=paper.lower("shaw-recurrent", False, "shaw", False))
    return f"{found} {shaw.replace('-', '−')}"


def _less(one: float, other: float) -> float:
    """By how many percent it is lower."""
    return 100 * (1 - one / other)


def half_said(record: LandscapeRecord) -> str:
    """What the half loss does to each encoding here, as Markdown; empty while runs are missing."""
    changes = []
    for one in (*ENCODINGS, "xl-recurrent"):
        full, half = (perplexity(record, f"{one}-{loss}") for loss in ("full", "half"))
        if full is not None and half is not None:
            changes.append(f"{label(f'short_{one}')} {100 * (half / full - 1):+.1f} %".replace("-", "−", 1))
    return prose("half_said", changes="; ".join(changes)) if changes else ""


def table(record: LandscapeRecord) -> pd.DataFrame:
    """A line a run, as strings."""
    heads = ["run", "parameters", "scores", "window"]
    return pd.DataFrame(
        [_line(name, run, record.headline(name)) for name, run in record.runs.items()],
        columns=[label(f"runs_{head}") for head in heads],
    )


def _line(name: str, run: Mapping[str, Any], best: Mapping[str, float | None]) -> list[str]:
    word, part = best["word_perplexity"], run.get("prefix", {}).get("loss_by_stride", {})
    return [
        name,
        f"{run['parameters']:,}",
        f"{best['token_perplexity']:.1f}, {'–' if word is None else f'{word:.1f}'}",
        f"{math.exp(part['64']):.1f} → {math.exp(part['1']):.1f}" if {"64", "1"} <= set(part) else "–",
    ]
