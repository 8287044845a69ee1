"""What came of training a pair here: its curves, and its accuracies with the page's test-time M."""

from __future__ import annotations

import numpy as np
import pandas as pd
import streamlit as st

from txlviz.figures import echo
from txlviz.figures.echo_layers import NAMES
from txlviz.tasks.background import KINDS, Job
from txlviz.tasks.echo import in_sight
from txlviz.tasks.grid import has_learned
from txlviz.ui import theme
from txlviz.ui.chart import chart
from txlviz.ui.echo import controls, view
from txlviz.ui.echo.controls import Choice
from txlviz.ui.echo.words import labels, prose

_EVERY = 10  # steps a point of the curves


def draw(job: Job, choice: Choice) -> None:
    """What came of a job."""
    if job.status != "done":
        st.info(prose(job.status))
        return
    task, rows = job.task, job.memory_length
    said = [prose("done", seconds=job.seconds, delay=task.delay, trained=rows, seed=job.seed)]
    for kind in KINDS:
        memory = rows if kind == "xl" else 0
        shares = job.progress[kind].by_memory[memory]
        learned, seen = has_learned(shares, task, memory), in_sight(task.delay, len(shares), memory)
        key = {True: "done_learned", False: "done_not_yet", None: "done_nothing"}[learned]
        said.append(prose(key, name=NAMES[kind], share=shares[seen].mean() if seen.any() else 0.0))
    st.markdown(" ".join(said))
    left, right = st.columns(2, gap="large")
    with left:
        curves(job)
    with right:
        _trained(job, choice)


def _trained(job: Job, choice: Choice) -> None:
    """The accuracies of the pair trained here, with the page's test-time M; its slider stands here once more."""
    if st.session_state.get("echo_tested_here") != choice.tested:  # what is written undoes what is pressed meanwhile
        st.session_state["echo_tested_here"] = choice.tested
    st.select_slider(
        labels()["tested"],
        job.tested,
        key="echo_tested_here",
        on_change=lambda: controls.set_tested(st.session_state["echo_tested_here"]),
    )
    delay, M = job.task.delay, choice.tested
    curves = {"xl": job.progress["xl"].by_memory[M], "vanilla": job.progress["vanilla"].by_memory[0]}
    marks = echo.Marks(view.cliff(delay, M), view.two_looks(delay, M))
    chart(
        echo.by_position(curves, view.levels(job.task), marks, theme.model_colours(), theme.ink(), height=250),
        view.facts(curves, delay, M),
        title=prose("trained_title", M=M),
        name=f"echo-trained-here-D{delay}-M{job.memory_length}-tested-M{M}",
        alt="Share of right answers of the pair trained here, at each input position.",
        key="echo-trained",
    )


def curves(job: Job) -> None:
    points_of: dict[str, list[float]] = {kind: _blocks(job.progress[kind].accuracy) for kind in KINDS}
    longest = max(len(points) for points in points_of.values())
    table = pd.DataFrame({"Training step": (1 + np.arange(longest)) * _EVERY})
    for kind, points in points_of.items():
        table[f"{NAMES[kind]}, share right (mean of {_EVERY} steps)"] = [*points, *[None] * (longest - len(points))]
    most = max(one.steps for one in job.settings.values())
    chart(
        echo.over_steps(points_of, _EVERY, most, view.levels(job.task), theme.model_colours(), theme.ink()),
        table,
        title=prose("training_title"),
        name=f"echo-training-D{job.task.delay}-M{job.memory_length}-seed{job.seed}",
        alt="Share of right answers over the training steps, for both models.",
        key="echo-training",
    )


def _blocks(values: list[float]) -> list[float]:
    whole = len(values) // _EVERY
    return [sum(values[n * _EVERY : (n + 1) * _EVERY]) / _EVERY for n in range(whole)]
