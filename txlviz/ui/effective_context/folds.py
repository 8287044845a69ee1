"""Folded: the relative effective context length from the recorded losses, the paper's table, and how all is measured."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import pandas as pd
import streamlit as st

from txlviz.analysis import paper
from txlviz.analysis.context_record import ContextRecord
from txlviz.analysis.recl import THRESHOLD, Effective, effective_contexts
from txlviz.figures.effective_context_live import gains, gains_facts
from txlviz.ui.chart import chart
from txlviz.ui.effective_context import swap
from txlviz.ui.effective_context.measured import KINDS
from txlviz.ui.effective_context.words import colours, labels, prose

SHARES = (0.1, 0.5, 1.0)
STEPS = (16, 32, 64, 96, 128)
FIRSTS = tuple(range(16, 257, 16))


def recl(found: ContextRecord) -> None:
    """r, Δ and the first c as controls, and what comes of them; then the paper's table."""
    words = labels()
    with st.expander(prose("recl_fold"), key="recl_fold", on_change="rerun") as fold:
        if not fold.open:
            return
        st.markdown(prose("recl"))
        with st.container(horizontal=True, gap="large", vertical_alignment="bottom"):
            r = st.segmented_control(words["r"], SHARES, default=SHARES[0], required=True, key="recl_r")
            step = st.select_slider(words["delta"], STEPS, value=STEPS[0], key="recl_step", width=260)
            first = st.select_slider(words["first"], FIRSTS, value=FIRSTS[0], key="recl_first", width=260)
        _result(found, r if r in SHARES else SHARES[0], _one_of(step, STEPS), _one_of(first, FIRSTS))
        st.markdown(prose("paper"))
        st.table(paper_table(), border="horizontal", hide_index=True)


def how(found: ContextRecord) -> None:
    """How all of the page is measured."""
    facts, boot = found.facts, found.facts["bootstrap"]
    with st.expander(prose("how_fold")):
        st.markdown(
            prose(
                "how_text",
                preset=facts["preset"],
                spacing=facts["spacing"],
                stretches=facts["stretches"],
                tolerance=facts["flat_tolerance"],
                draws=boot["draws"],
                neighbours=boot["neighbours"],
                seed=boot["seed"],
                arcs=swap.MOST_ARCS,
                least=swap.LEAST,
            )
        )


@lru_cache(maxsize=64)
def lengths(found: ContextRecord, r: float, step: int, first: int) -> tuple[list[int], dict[str, Effective]]:
    """The contexts from ``first`` on, and the result of each model; the vanilla model's losses stop at its trained length."""
    contexts = list(range(first, found.contexts[-1] + 1, step))
    trained = found.facts["trained"]["vanilla"]
    row_of = {c: row for row, c in enumerate(found.contexts)}
    rows = {"xl": contexts, "vanilla": [min(c, trained) for c in contexts]}
    return contexts, effective_contexts(
        {kind: found.losses[kind][[row_of[c] for c in rows[kind]]] for kind in KINDS}, contexts, r
    )


def paper_table() -> pd.DataFrame:
    """The table as the paper prints it, by r."""
    names = labels("paper_table")
    cells = {f"r = {r:g}": [str(lengths[n]) for lengths in paper.RECL.values()] for n, r in enumerate(paper.RECL_SHARES)}
    return pd.DataFrame({labels()["paper_model"]: [names[model] for model in paper.RECL], **cells})


def _result(found: ContextRecord, r: float, step: int, first: int) -> None:
    words = labels()
    contexts, results = lengths(found, r, step, first)
    for kind, one in results.items():
        at = min(contexts.index(one.length), len(contexts) - 2)
        st.markdown(
            prose(
                "recl_result",
                name=words[kind],
                sign="≥ " if one.at_least else "",
                length=one.length,
                before=contexts[at],
                after=contexts[at + 1],
                gain=100 * one.gains[at],
                move=f"{round(-one.mean_gains[at], 4) + 0.0:+.4f}",
            )
        )
    targets = found.facts["targets"]
    kept, trained = max(1, round(r * targets)), found.facts["trained"]["vanilla"]
    st.markdown(prose("recl_noise", targets=targets, r=f"{r:g}", kept=kept, trained=trained))
    steps: dict[str, Any] = {
        "by_paper": {kind: one.gains for kind, one in results.items()},
        "in_mean": {kind: one.mean_gains for kind, one in results.items()},
    }
    chart(
        gains(contexts, **steps, threshold=THRESHOLD, colours=colours(), words=words),
        gains_facts(contexts, **steps, words=words),
        title=words["gain_title"],
        name=f"recl-r{r:g}-step{step}-from{first}",
        alt=words["gain_alt"],
        key="gains",
    )


def _one_of(value: object, options: tuple[int, ...]) -> int:
    """A slider's bounds are the browser's; here they are kept."""
    return value if isinstance(value, int) and value in options else options[0]
