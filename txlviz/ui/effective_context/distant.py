"""Take the distance away: all that is further back than d tokens is changed, live, in pieces that can be cancelled."""

from __future__ import annotations

import time
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from txlviz.analysis.distant_context import DistantContext, assembled, plan
from txlviz.analysis.distant_pieces import WAYS, Way, original_losses, piece_losses, pieces
from txlviz.content import sections
from txlviz.figures.effective_context_live import Line, by_distance, by_distance_facts
from txlviz.ui import models, session
from txlviz.ui.chart import chart
from txlviz.ui.effective_context.measured import KINDS
from txlviz.ui.effective_context.words import labels, prose, quoted, shades
from txlviz.ui.session import Settings

_CANCELLED = "distant_cancelled"
_KNOWN_BY = 60  # characters at its beginning tell a story from all others
_PATIENCE, _EVERY = 0.25, 0.15  # seconds: before progress is shown (what is remembered is there sooner), and between two times
Targets = tuple[int, ...]


class Distant:
    """``draw`` puts the controls onto the page, ``finish`` measures: call it last, so that the page stands before."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.bar: DeltaGenerator | None = None
        self.tokens = len(models.checkpoint(settings.preset, "xl").encode(settings.text))

    def draw(self) -> None:
        """The control, and room for the figure."""
        words = labels()
        st.header(prose("distant_head"), anchor=False)
        st.markdown(prose("distant"))
        if "way" not in st.session_state or session.went_back():
            st.session_state["way"] = WAYS[session.read("way", range(len(WAYS)), 0)]
        way = st.segmented_control(
            words["way"],
            WAYS,
            required=True,
            format_func=lambda one: words[f"way_{one}"],
            key="way",
            persist_state="session",
            help=prose("help_way"),
        )
        self.way: Way = way if way in WAYS else WAYS[0]
        session.write("way", WAYS.index(self.way), 0)
        self.slot = st.empty()
        self.cancelled = st.session_state.get(_CANCELLED) == (self.settings, self.way)
        if self.cancelled:
            with self.slot.container():
                st.info(prose("distant_cancelled"))
                st.button(labels()["measure"], key="distant_measure", on_click=_forget)

    def finish(self) -> None:
        """Measures both models, and draws what came out."""
        if self.cancelled:
            return
        targets, distances = plan(self.tokens)
        if not targets:
            self.slot.info(prose("distant_short"))
            return
        # Another run of the script ends this one at the next call of ``_tick``; each piece that is done is kept.
        place = self._selected()
        near = tuple(d for d in distances if d < place)
        work = [(kind, targets, distances) for kind in KINDS]
        if near:
            work += [(kind, (place,), near) for kind in KINDS]
        found: list[DistantContext] = []
        steps = [self._pieces(*one) for one in work]
        self.done, self.total, self.told, self.bar = 0, sum(len(one) for one in steps), time.monotonic() + _PATIENCE, None
        for one, bounds_of in zip(work, steps, strict=True):
            parts = []
            for bounds in bounds_of:
                parts.append(self._piece(*one, bounds))
                self.done += 1
                self._tick()
            found.append(assembled(*one[1:], self._original(*one[:2]), parts))
        self._figure(place, found)

    def _tick(self) -> None:
        """Shows how far the work is, now and then: there a person's next click ends it."""
        if time.monotonic() < self.told:
            return
        self.told = time.monotonic() + _EVERY
        if self.bar is None:
            with self.slot.container():
                self.bar = st.empty()
                st.button(labels()["cancel"], key="distant_cancel", on_click=_cancel, args=((self.settings, self.way),))
        share = self.done / self.total
        self.bar.progress(share, prose("distant_working", share=100 * share))

    def _selected(self) -> int:
        place = session.selected_token()
        return place if place is not None and 0 < place <= self.tokens else self.tokens

    def _reading(self, kind: models.Kind) -> tuple[Any, ...]:
        settings = self.settings
        rows = settings.memory_length if kind == "xl" else 0
        return models.checkpoint(settings.preset, kind), settings.text, settings.segment_length, rows

    def _pieces(self, kind: models.Kind, targets: Targets, distances: Targets) -> list[tuple[int, ...]]:
        return pieces(*self._reading(kind), way=self.way, targets=targets, distances=distances)

    def _piece(self, kind: models.Kind, targets: Targets, distances: Targets, bounds: Targets) -> Any:
        asked: dict[str, Any] = {"way": self.way, "targets": targets, "distances": distances, "bounds": bounds}
        other = other_text(self.settings.text)
        return models.remembered(piece_losses, *self._reading(kind), **asked, other=other, unkeyed={"tick": self._tick})

    def _original(self, kind: models.Kind, targets: Targets) -> Any:
        return models.remembered(original_losses, *self._reading(kind), targets=targets)

    def _figure(self, place: int, found: list[DistantContext]) -> None:
        words, source = labels(), models.checkpoint(self.settings.preset, "xl")
        token = quoted(source.tokenizer.show(source.encode(self.settings.text))[place - 1])
        lines = []
        for one, (kind, single) in zip(found, _lines(), strict=False):
            name = words[f"distance_{kind}_one" if single else f"distance_{kind}"]
            shown = name.replace("{place}", str(place)).replace("{token}", token)
            lines.append(Line(kind, shown, tuple(one.change.mean(axis=1).tolist()), single))
        distances = found[0].distances
        with self.slot.container():
            chart(
                *_drawn(distances, tuple(lines), shades()),
                title=words["distance_title"],
                name=f"distant-context-{self.way}",
                alt=words["distance_alt"],
                key="distant",
            )
            st.markdown(_said(found[0], found[1], self.settings.segment_length))


def other_text(text: str) -> str:
    """What takes the place of distant context: the stories of this app that don't begin in ``text``, one after the other."""
    return "\n".join(story for story in sections("stories").values() if story[:_KNOWN_BY] not in text)


@lru_cache(maxsize=64)
def _drawn(distances: Targets, lines: tuple[Line, ...], shade: tuple[tuple[str, str], ...]) -> tuple[go.Figure, pd.DataFrame]:
    return by_distance(distances, lines, dict(shade), labels()), by_distance_facts(distances, lines, labels())


def _lines() -> Iterator[tuple[models.Kind, bool]]:
    for single in (False, True):
        for kind in KINDS:
            yield kind, single


def _said(xl: DistantContext, vanilla: DistantContext, L: int) -> str:
    """The numbers at the longest distance of at most L, and from where on the vanilla model's are exactly none."""
    row = max((n for n, d in enumerate(xl.distances) if d <= L), default=0)
    sees = max(
        (t - 1) % L + 1 for t in vanilla.targets
    )  # a change can also be 0 by chance: in a short text the other may be equal
    none = [d for n, d in enumerate(vanilla.distances) if d >= sees and not vanilla.change[n:].any()]
    exact = prose("distant_exact", d=none[0]) if none else ""
    means = {"xl": float(np.mean(xl.change[row])), "vanilla": float(np.mean(vanilla.change[row]))}
    return prose("distant_said", d=xl.distances[row], count=len(xl.targets), exact=exact, **means)


def _cancel(asked: object) -> None:
    st.session_state[_CANCELLED] = asked


def _forget() -> None:
    st.session_state.pop(_CANCELLED, None)
