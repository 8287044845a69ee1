"""Recorded: loss by position in the segment, each token scored at every position."""

from __future__ import annotations

from typing import Any

import numpy as np
import streamlit as st

from txlviz.commands.measure.position import FILE
from txlviz.figures import fragmentation
from txlviz.recorded import RecordError
from txlviz.ui import models
from txlviz.ui.chart import chart
from txlviz.ui.fragmentation.words import colours, labels, prose

_NAMES = {"vanilla": fragmentation.VANILLA, "xl": fragmentation.XL, "xl_no_memory": fragmentation.NO_MEMORY}


def draw(preset: str) -> None:
    """The recorded curves, and what they say in numbers."""
    try:
        record = models.recorded(preset, FILE)
    except RecordError as error:
        st.info(prose("position_missing"))
        st.code(str(error), language=None, wrap_lines=True)
        return
    words = labels()
    facts = fragmentation.recorded_facts({name: record["curves"][kind] for kind, name in _NAMES.items()}, record["tokens"])
    left, right = st.columns([3, 2], gap="large")
    with left:
        chart(
            fragmentation.recorded(facts, colours()),
            facts,
            title=words["position_title"],
            name=f"loss-by-position-{preset}",
            alt=words["position_alt"],
            key="by_position",
        )
    right.markdown(_said(record))


def _said(record: dict[str, Any]) -> str:
    means = {kind: np.array(curve["mean"]) for kind, curve in record["curves"].items()}
    L = record["segment_length"]
    cost = {kind: float(mean[0] - mean[-1]) for kind, mean in means.items()}
    facts = {"tokens": record["tokens"], "L": L, "M": record["memory_length"], "context": (L + 1) / 2}
    without = means["vanilla"] - means["xl_no_memory"]
    loses = 100 * float(np.mean(record["xl_loses_share"]))
    return "\n\n".join(
        [
            prose("position", **facts, cost=cost["vanilla"], xl_cost=abs(cost["xl"])),
            prose("position_memory", first=_against(without[0]), last=_against(without[-1]), loses=loses),
        ]
    )


def _against(gain: float) -> str:
    """How far the Transformer-XL is ahead of the vanilla model, in words."""
    return prose("nats_better" if gain >= 0 else "nats_worse", nats=abs(float(gain)))
