"""The figure on the page: what each lens shows, the words and formulas beside it, and the slow part."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from txlviz.analysis.change_by_token import change_by_token, evenly
from txlviz.analysis.gradients import gradients
from txlviz.analysis.replaced import changes
from txlviz.figures.cone import nodes, rounded
from txlviz.ui import models, session, text
from txlviz.ui.cone import component, controls, sentences
from txlviz.ui.cone.controls import Choice
from txlviz.ui.cone.facts import Facts, facts
from txlviz.ui.cone.labels import PAGE, labels

MOST_REPLACED = 256
_READ_AT_MOST = 300_000  # tokens that the slow part reads in all: it bounds the time for long texts
_WAITING = "cone_waiting"


def draw(settings: session.Settings) -> None:
    """The controls, the figure, and what stands beside it. What it keeps for ``finish`` lives as long as this run."""
    choice = controls.draw()
    known = facts(settings, choice.kind)
    left, right = st.columns([3.4, 1], gap="medium")
    with left:
        _figure(known, choice)
        slow = st.empty()
    with right:
        _beside(known, choice)
    st.session_state[_WAITING] = (slow, known, choice) if choice.lens == "change" else None


def finish() -> None:
    """The slow part of *does change*: every earlier token replaced, one at a time."""
    waiting: tuple[DeltaGenerator, Facts, Choice] | None = st.session_state.pop(_WAITING, None)
    if waiting is None:
        return
    slow, known, choice = waiting
    words = labels()
    if known.place == 0:
        slow.caption(words["strip_first"])
        return
    places = _places(known)
    bar = slow.progress(0.0, words["measuring"].format(count=len(places)))

    def progress(share: float) -> None:
        bar.progress(share, words["measuring"].format(count=len(places)))

    found = models.remembered(
        change_by_token,
        known.model,
        known.text,
        known.L,
        known.M,
        place=known.place,
        replaced=places,
        unkeyed={"progress": progress, "workers": 2},
    )
    data = _shared(known, choice) | {
        "lens": "strip",
        "title": words["title_strip"].format(token=known.tokens[known.place]),
        "name": "change-by-token",
        "label": words["label_strip"],
        "facts": sentences.each_replaced(known, found),
        "places": list(found.places),
        "layers": [rounded(row) for row in found.size],
        "replaced": _replaced(known),
    }
    with slow:
        component.mount(data, key="cone_strip", on_pick=controls.on_pick)


def _figure(known: Facts, choice: Choice) -> None:
    words = labels()
    token = known.tokens[known.place]
    values: npt.NDArray[np.float64] | None = None
    replaced = None
    title = words[f"title_{choice.lens}"]
    if choice.lens == "reach":
        said = sentences.reaches(known)
        title = title.format(token=token)
    elif choice.lens == "change":
        replaced = _replaced(known)
        found = models.remembered(
            changes, known.model, known.text, known.L, known.M, replaced=replaced, until=known.shown.after
        )
        values = found.size
        title = title.format(token=known.tokens[replaced], other=found.replacement)
        said = sentences.changed(known, replaced, float(values[-1, known.place]))
    else:
        values, said = _gradient(known, choice)
        title = title.format(segment=known.segment + 1)
    data = _shared(known, choice) | nodes(
        known.shown,
        reach=known.reach,
        first_visible=known.sees,
        tokens=known.tokens,
        segment_length=known.L,
        values=values,
    )
    data |= {
        "lens": choice.lens,
        "title": title,
        "name": f"cone-{choice.lens}",
        "label": words["label"].format(lens=words[f"lens_{choice.lens}"]),
        "facts": said,
        "replaced": replaced,
    }
    component.mount(data, key="cone", on_pick=controls.on_pick)


def _shared(known: Facts, choice: Choice) -> dict[str, Any]:
    """What the browser is told of both figures."""
    starts = range(known.shown.first // known.L * known.L, known.shown.after, known.L)
    return {
        "kind": choice.kind,
        "stopsGradient": choice.kind == "xl" and (choice.stop_gradient or choice.lens != "gradient"),
        "first": known.shown.first,
        "tokens": list(known.tokens[known.shown.first : known.shown.after]),
        "segments": list(starts),
        "segmentLength": known.L,
        "memory": (max(0, known.start - known.M), known.start),
        "selected": known.place,
        "total": len(known.tokens),
        "words": labels(),
    }


def _replaced(known: Facts) -> int:
    """The place of the token to replace: the one that was picked, or the furthest that can reach the selected one."""
    place = controls.replaced()
    return place if place is not None and known.shown.first <= place <= known.place else known.furthest


def _places(known: Facts) -> tuple[int, ...]:
    """Which tokens the slow part replaces: all earlier ones that are shown, or, of many, some that are evenly spread."""
    # Each is read again from its segment on, half of the text on average; a segment is read with its memory.
    each = (known.place - known.shown.first) / 2 * (1 + min(known.M, known.place) / (4 * known.L))
    return evenly(known.shown.first, known.place - 1, max(32, min(MOST_REPLACED, int(_READ_AT_MOST / max(1.0, each)))))


def _gradient(known: Facts, choice: Choice) -> tuple[npt.NDArray[np.float64] | None, str]:
    """The sizes, where the selected token's segment has a loss, and what is to be said of them."""
    if known.start == len(known.tokens) - 1:
        return np.zeros((known.n_layers + 1, known.shown.after)), labels()["gradient_no_loss"]
    found = models.remembered(
        gradients,
        known.model,
        known.text,
        known.L,
        known.M,
        segment=known.segment,
        stop_gradient=choice.stop_gradient,
    )
    return found.size, sentences.gradient(known, found)


def _beside(known: Facts, choice: Choice) -> None:
    """The formulas with their numbers, and what the lens means."""
    N, L, M, p = known.n_layers, known.L, known.M, known.position
    if choice.kind == "vanilla":
        st.markdown(text.prose(PAGE, "cone_vanilla").format(p=p))
    else:
        stopped = choice.lens != "gradient" or choice.stop_gradient
        free = "" if stopped else "_free"
        st.markdown(text.prose(PAGE, f"cone_formula{free}"))
        looks = -(-M // L)
        filled = f"{p} + {M} + {N - 1} \\cdot {L} \\cdot {looks}" if M else f"{p}"
        st.markdown(text.prose(PAGE, "cone_span").format(filled=filled, span=known.span))
        st.markdown(text.prose(PAGE, f"cone_{choice.lens}{free}"))
