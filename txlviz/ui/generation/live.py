"""The two streams while they run, and what they say when they have ended. No thread: each repaint takes the next tokens.

The browser asks for the fragment several times a second as long as a run isn't at its end. Whoever leaves the page or closes
the browser stops asking, and with that the run stands still.
"""

from __future__ import annotations

import streamlit as st

from txlviz.ui import models
from txlviz.ui.generation import tried
from txlviz.ui.generation.controls import Choice
from txlviz.ui.generation.filler import filler, library
from txlviz.ui.generation.repeats import repetition
from txlviz.ui.generation.run import Asked, Run
from txlviz.ui.generation.streams import streams
from txlviz.ui.generation.words import prose
from txlviz.ui.session import Settings

RUN = "sg_run"
_BURST = 0.2  # seconds of work between two repaints
_POLL = 0.15  # seconds after which the browser asks again


def running() -> Run | None:
    """This session's run, if it isn't at its end."""
    run: Run | None = st.session_state.get(RUN)
    return run if run is not None and run.status == "running" else None


def start(settings: Settings, choice: Choice) -> None:
    """A new run in the place of the last one."""
    if (old := running()) is not None:
        old.stop()
    pair = {kind: models.checkpoint(settings.preset, kind) for kind in ("xl", "vanilla")}
    st.session_state[RUN] = Run(pair, _asked(settings, choice))


def draw(settings: Settings, choice: Choice) -> None:
    """The streams of this session's run, and whether the controls by now ask for another one."""
    run: Run = st.session_state[RUN]
    # The same fragment whether it runs or has ended: then the browser has one place for it, not an old one beside a new one.
    st.fragment(_streams, run_every=_POLL if run.status == "running" else None)()
    _notes(run, changed=run.asked != _asked(settings, choice))


def _asked(settings: Settings, choice: Choice) -> Asked:
    prompt = library()[choice.prompt].text if choice.prompt else settings.text
    encoder = models.checkpoint(settings.preset, "xl")
    before, tokens = filler(encoder, prompt, choice.attention_length) if choice.fill else ("", 0)
    return Asked(
        preset=settings.preset,
        prompt=prompt,
        filler=before,
        filler_tokens=tokens,
        attention_length=choice.attention_length,
        segment_length=settings.segment_length,
        count=choice.count,
        sampling=choice.sampling,
        seed=choice.seed,
    )


def ended() -> None:
    """What a run leaves at its end: milliseconds at each attention length tried, and how much the texts repeat themselves."""
    if running() is not None:
        return
    run: Run = st.session_state[RUN]
    left, right = st.columns(2, gap="large")
    with left:
        tried.times(run.asked.preset)
    if run.sides["xl"].tokens:
        with right:
            repetition(run)


def _streams() -> None:
    run: Run = st.session_state[RUN]
    at_work = run.status == "running"
    if at_work:
        with models.at_work():
            run.advance(_BURST)
    else:
        tried.remember(run)
    streams(run, tried.growth(run))
    if at_work and run.status != "running":
        st.rerun()  # the whole page: the buttons change, and the charts of an ended run come


def _notes(run: Run, changed: bool) -> None:
    asked = run.asked
    trained = run.sides["vanilla"].checkpoint.config.segment_length
    said = [prose("changed")] if changed else []
    said.append(prose("clock"))
    if asked.filler_tokens:
        said.append(prose("filled", count=asked.filler_tokens, A=asked.attention_length))
    if asked.attention_length > trained:
        said.append(prose("beyond", trained=trained))
    st.caption(" ".join(said))
