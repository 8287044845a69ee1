"""Train a pair here: the button, the live curves, and what came of it. One job runs at a time for the whole server."""

from __future__ import annotations

import streamlit as st

from txlviz.figures.echo_layers import NAMES
from txlviz.models.config import Kind
from txlviz.tasks.background import KINDS, Job, Trainer
from txlviz.tasks.echo import EchoTask, in_sight
from txlviz.ui.echo import trained
from txlviz.ui.echo.controls import SEGMENT_LENGTH, Choice
from txlviz.ui.echo.words import labels, prose

SEEDS = (0, 99)
_JOB, _BUSY = "echo_job", "echo_busy"
_POLL = 1.5  # seconds


@st.cache_resource(show_spinner=False)
def trainer() -> Trainer:
    """The one that all sessions share."""
    return Trainer()


def draw(choice: Choice, tested: tuple[int, ...]) -> None:
    """The whole section. ``tested`` are the test-time M that a trained model is measured with."""
    st.header(prose("own"), anchor=False)
    st.markdown(prose("own_opening", delay=choice.delay, trained=choice.trained))
    job: Job | None = st.session_state.get(_JOB)
    running = job is not None and job.status == "running"
    with st.container(key="echo-train", horizontal=True, vertical_alignment="bottom", gap="medium"):
        st.number_input(labels()["seed"], *SEEDS, key="echo_seed", width=150, help=prose("help_seed"), disabled=running)
        st.button(
            labels()["train"],
            key="echo_train",
            type="primary",
            disabled=running,
            on_click=_start,
            args=(choice.delay, choice.trained, tested),
        )
        if running:
            st.button(labels()["cancel"], key="echo_cancel", on_click=_cancel)
    if job is not None and running:
        _live()
    elif trainer().running() is not None:
        _waiting()
    elif st.session_state.pop(_BUSY, False):
        st.info(prose("busy_over"))
    if job is not None and not running:
        trained.draw(job, choice)


def _start(delay: int, trained: int, tested: tuple[int, ...]) -> None:
    """Starts a job for this session, unless one runs already."""
    seed = st.session_state.get("echo_seed", SEEDS[0])
    seed = min(max(int(seed or 0), SEEDS[0]), SEEDS[1])
    job = trainer().start(EchoTask(delay), trained, seed=seed, tested=tested)
    if job is not None:
        st.session_state[_JOB] = job


def _cancel() -> None:
    job: Job | None = st.session_state.get(_JOB)
    if job is not None:
        job.cancel()


@st.fragment(run_every=_POLL)
def _live() -> None:
    """Looks at the job that this session started, and draws how far it is."""
    job: Job = st.session_state[_JOB]
    job.alive()
    if job.status != "running":
        st.rerun()
    st.progress(job.share, text=" · ".join(_state(job, kind) for kind in KINDS))
    trained.curves(job)


@st.fragment(run_every=1.0)
def _waiting() -> None:
    """Tells who comes second that someone is training, and how far it is."""
    job = trainer().running()
    st.session_state[_BUSY] = True
    if job is None:
        st.rerun()
    else:
        st.info(prose("busy", delay=job.task.delay, trained=job.memory_length, share=100 * job.share))


def _state(job: Job, kind: Kind) -> str:
    progress = job.progress[kind]
    recent = progress.accuracy[-20:]
    sighted = in_sight(job.task.delay, SEGMENT_LENGTH, job.memory_length if kind == "xl" else 0).any()
    state = "state_learned" if progress.learned_at else "state_not_yet" if sighted else "state_nothing"
    return prose(
        "running",
        name=NAMES[kind],
        step=len(progress.accuracy),
        steps=job.settings[kind].steps,
        share=sum(recent) / max(1, len(recent)),
        state=prose(state),
    )
