"""The two streams while they run, and what they say when they have ended. No thread: each repaint takes the next tokens.

The browser asks for the fragment several times a second as long as a run isn't at its end. Whoever leaves the page or closes
the browser stops asking, and with that the run stands still.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import pandas as pd
import streamlit as st

from txlviz.analysis.repetition import distinct_n, repeated_4_grams, repeated_tokens
from txlviz.figures import speed
from txlviz.ui import models
from txlviz.ui.chart import chart
from txlviz.ui.generation.controls import Choice
from txlviz.ui.generation.filler import filler, library
from txlviz.ui.generation.run import KINDS, Asked, Run, Side
from txlviz.ui.generation.streams import streams
from txlviz.ui.generation.words import NAMES, colours, labels, prose
from txlviz.ui.session import Settings

RUN, _TRIED = "sg_run", "sg_tried"
_BURST = 0.2  # seconds of work between two repaints
_POLL = 0.15  # seconds after which the browser asks again
_MOST = 24  # attention lengths and models that are remembered

TRIED = (
    "Attention length A (tokens)",
    "Model",
    "Milliseconds a token (median)",
    "Milliseconds a token (mean)",
    "Tokens",
    "Layers",
)


def running() -> Run | None:
    """This session's run, if it isn't at its end."""
    run: Run | None = st.session_state.get(RUN)
    return run if run is not None and run.status == "running" else None


def start(settings: Settings, choice: Choice) -> None:
    """A new run in the place of the last one."""
    if (old := running()) is not None:
        old.stop()
    pair = {kind: models.checkpoint(settings.preset, kind) for kind in ("xl", "vanilla")}
    prompt = library()[choice.prompt].text if choice.prompt else settings.text
    before, tokens = filler(pair["xl"], prompt, choice.attention_length) if choice.fill else ("", 0)
    asked = Asked(
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
    st.session_state[RUN] = Run(pair, asked)


def draw() -> None:
    """The streams of this session's run."""
    run: Run = st.session_state[RUN]
    # The same fragment whether it runs or has ended: then the browser has one place for it, not an old one beside a new one.
    st.fragment(_streams, run_every=_POLL if run.status == "running" else None)()
    _notes(run)


def ended() -> None:
    """What a run leaves at its end: milliseconds at each attention length tried, and how much the texts repeat themselves."""
    if running() is not None:
        return
    run: Run = st.session_state[RUN]
    left, right = st.columns(2, gap="large")
    with left:
        _times()
    with right:
        _repetition(run)


def _streams() -> None:
    run: Run = st.session_state[RUN]
    at_work = run.status == "running"
    if at_work:
        with models.at_work():
            run.advance(_BURST)
    else:
        _tried(run)
    streams(run, _growth(run))
    if at_work and run.status != "running":
        st.rerun()  # the whole page: the buttons change, and the charts of an ended run come


def _notes(run: Run) -> None:
    asked = run.asked
    trained = run.sides["vanilla"].checkpoint.config.segment_length
    said = [prose("clock")]
    if asked.filler_tokens:
        said.append(prose("filled", count=asked.filler_tokens, A=asked.attention_length))
    if asked.attention_length > trained:
        said.append(prose("beyond", trained=trained))
    st.caption(" ".join(said))


def _tried(run: Run) -> None:
    """Remembers a run's two streams by their attention length."""
    tried: dict[tuple[str, int, str], Side] = st.session_state.setdefault(_TRIED, {})
    for kind in KINDS:
        if run.sides[kind].median is not None:
            tried[run.asked.preset, run.asked.attention_length, kind] = run.sides[kind]
    while len(tried) > _MOST:
        tried.pop(next(iter(tried)))


def _growth(run: Run) -> dict[str, str]:
    """How many times as long a token takes as with half the attention length, where that was tried."""
    tried: dict[tuple[str, int, str], Side] = st.session_state.get(_TRIED, {})
    half, found = run.asked.attention_length // 2, {}
    for kind in KINDS:
        now, before = run.sides[kind].median, tried.get((run.asked.preset, half, kind))
        if now is not None and before is not None and before.median:
            found[kind] = labels()["growth"].format(factor=f"{now / before.median:.2g}", half=f"{half:,}")
    return found


def _times() -> None:
    tried: dict[tuple[str, int, str], Side] = st.session_state.get(_TRIED, {})
    preset = st.session_state[RUN].asked.preset
    layers = models.checkpoint(preset, "xl").config.n_layers
    rows = [
        (A, NAMES[kind], 1000 * side.median, 1000 * side.mean, len(side.tokens), layers)
        for (of, A, kind), side in sorted(tried.items(), key=lambda one: one[0][:2])
        if of == preset and side.median is not None and side.mean is not None
    ]
    if not rows:
        return
    facts = pd.DataFrame(rows, columns=list(TRIED))
    chart(
        speed.by_length(facts, TRIED[0], TRIED[2], colours(), height=300),
        facts,
        title=prose("tried_title"),
        name="milliseconds-a-token",
        alt=prose("tried_alt"),
        key="sg_tried_chart",
    )


def _repetition(run: Run) -> None:
    words = labels()
    measures: dict[str, Callable[[list[int]], float | None]] = {
        **{words["distinct"].format(n=n): partial(distinct_n, n=n) for n in range(1, 5)},
        words["repeated_grams"]: repeated_4_grams,
        words["repeated_tokens"]: repeated_tokens,
    }
    rows: list[tuple[Any, ...]] = [
        (name, NAMES[kind], measure(run.sides[kind].tokens), len(run.sides[kind].tokens))
        for name, measure in measures.items()
        for kind in KINDS
    ]
    facts = pd.DataFrame(rows, columns=["Measure", "Model", "Share (0 to 1)", "Tokens"])
    chart(
        speed.repetition(facts, colours(), height=300),
        facts,
        title=prose("repetition_title"),
        name="repetition",
        alt=prose("repetition_alt"),
        key="sg_repetition",
    )
