"""Recurrence and memory: the growth of the memory span, computed at once, and measured when all else is drawn."""

from __future__ import annotations

import math
from collections.abc import Callable

import streamlit as st

from txlviz.analysis.span_growth import MeasuredSpan, can_be_measured, measured_span, span_ends, staircase
from txlviz.analysis.spans import Span
from txlviz.figures import span as figure
from txlviz.ui import models, session
from txlviz.ui.chart import chart
from txlviz.ui.recurrence.words import inks, prose, words

LAYERS = (1, 16)
_KNOWN_AT_MOST = 512

Sizes = tuple[int, int, int]
"""(N, L, M)"""


class SpanGrowth:
    """The section. ``draw`` where it shall stand; ``finish`` at the end of the page's script."""

    def __init__(self, settings: session.Settings) -> None:
        self._settings = settings
        self._missing: list[Sizes] = []

    def draw(self) -> None:
        """Controls, formula and both charts, with what is measured so far."""
        st.subheader(prose("span_title"), anchor=False)
        L, M = self._settings.segment_length, self._settings.memory_length
        left, right = st.columns(2, gap="medium")
        with left:
            N = _controls(self._settings)
        ends = _ends(N, L, M)
        with right:
            st.markdown(prose("span_opening", n_layers=N, L=L))
            st.latex(_formula(N, L, M))
            st.markdown(prose("span_formula", n_layers=N, span=int(ends[-1, 0]), product=N * M))
        known = _known()
        wanted = [(N, L, m) for m in dict.fromkeys((M, 0, 1, L, L + 1)) if can_be_measured(N, L, m)]
        self._missing = [sizes for sizes in wanted if sizes not in known]
        found = known.get((N, L, M))
        lengths = figure.breakpoints(L, max(3 * L, M))
        lengths = sorted({*lengths, M, *(m for _, _, m in wanted)})
        measured = {m: int(known[N, L, m].spans[-1, 0]) for _, _, m in wanted if (N, L, m) in known}
        left, right = st.columns([1.15, 1], gap="medium")
        with left:
            drawn, facts = figure.staircase(lengths, _stairs(N, L, tuple(lengths)).tolist(), measured, N, M, inks())
            title = words("labels")["staircase_title" if N > 1 else "staircase_flat"].format(leap=f"{(N - 1) * L + 1:,}")
            chart(drawn, facts, title=title, name="span-over-M", alt=words("labels")["staircase_alt"], key="span_staircase")
        with right:
            drawn, facts = figure.by_layer(ends, None if found is None else found.spans[:, [0, -1]], L - 1, inks())
            title = words("labels")["layers_title"].format(memory=M, step=L * math.ceil(M / L))
            chart(drawn, facts, title=title, name="span-by-layer", alt=words("labels")["layers_alt"], key="span_layers")
        self._below = st.empty()
        if (N, L, M) not in wanted:
            self._below.caption(prose("not_measured"))
        elif found is not None:
            verdict = prose("measured_agree" if found.agrees else "measured_differ")
            self._below.caption(prose("measured", tried=found.tried, candidates=found.candidates, verdict=verdict))

    def finish(self) -> None:
        """Measures what is missing, piece by piece, and then has the page drawn once more, with it."""
        if not self._missing:
            return
        for index, sizes in enumerate(self._missing):

            def tell(share: float, index: int = index) -> None:
                self._below.progress((index + share) / len(self._missing), words("labels")["measuring"])

            _remember(sizes, models.remembered(_measure, (), *sizes, unkeyed={"progress": tell}))
        st.rerun()


def _controls(settings: session.Settings) -> int:
    """N of this figure, and another handle of the shared M. Returns N."""
    labels, state, L = words("labels"), st.session_state, settings.segment_length
    depths = range(LAYERS[0], LAYERS[1] + 1)
    default = models.checkpoint(settings.preset, "xl").config.n_layers
    if "span_N" not in state or session.went_back():
        state["span_N"] = session.read("N", depths, default)
    jumps = list(dict.fromkeys((0, 1, L, L + 1)))
    follow = {
        "span_M": settings.memory_length,
        "span_jump": settings.memory_length if settings.memory_length in jumps else None,
    }
    for key, value in follow.items():
        if key not in state or state[key] != value:  # what a person holds in the hand isn't set anew
            state[key] = value
    with st.container(key="txl-span-controls", gap="small"):
        N = int(st.slider(labels["layers"], *LAYERS, key="span_N", persist_state="session", help=labels["help_layers"]))
        st.slider(
            labels["memory"],
            *session.MEMORY_LENGTHS,
            key="span_M",
            on_change=_move_memory,
            args=("span_M",),
            help=labels["help_memory"],
        )
        st.segmented_control(
            labels["jump"],
            jumps,
            format_func=lambda m: f"M = {m}",
            key="span_jump",
            on_change=_move_memory,
            args=("span_jump",),
            label_visibility="collapsed",
        )
    N = min(max(N, LAYERS[0]), LAYERS[1])
    session.write("N", N, default)
    return N


def _move_memory(key: str) -> None:
    """The shared M follows."""
    session.set_memory(st.session_state.get(key))


def _formula(N: int, L: int, M: int) -> str:
    """The formula, and its numbers for the top layer at p = 0."""
    if M == 0:
        return r"\text{span}(n, p) = p \quad (M = 0)"
    rounds = math.ceil(M / L)
    return (
        r"\begin{aligned}\text{span}(n, p) &= p + M + (n - 1) \, L \lceil M / L \rceil \\"
        rf"\text{{span}}({N}, 0) &= 0 + {M} + {N - 1} \cdot {L} \cdot {rounds} = {M + (N - 1) * L * rounds}\end{{aligned}}"
    )


@st.cache_data(max_entries=128, show_spinner=False)
def _ends(N: int, L: int, M: int) -> Span:
    return span_ends(N, L, M)


@st.cache_data(max_entries=128, show_spinner=False)
def _stairs(N: int, L: int, lengths: tuple[int, ...]) -> Span:
    return staircase(N, L, lengths)


def _measure(_: tuple[()], N: int, L: int, M: int, progress: Callable[[float], None]) -> MeasuredSpan:
    """``measured_span``, which takes none of the page's models, as ``models.remembered`` calls it: few at once."""
    return measured_span(N, L, M, progress=progress)


@st.cache_resource(show_spinner=False)
def _known() -> dict[Sizes, MeasuredSpan]:
    """What was measured, for all sessions."""
    return {}


def _remember(sizes: Sizes, found: MeasuredSpan) -> None:
    known = _known()
    while len(known) >= _KNOWN_AT_MOST:
        known.pop(next(iter(known)), None)
    known[sizes] = found
