"""Sabotage the past: one token is swapped, and later predictions of both models are compared."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from txlviz.analysis.sabotage import Sabotage, losses_with, replacement, returning
from txlviz.figures.effective_context_arcs import arcs, arcs_facts
from txlviz.ui import models, session
from txlviz.ui.chart import chart
from txlviz.ui.effective_context.measured import KINDS
from txlviz.ui.effective_context.words import labels, prose, quoted, shades
from txlviz.ui.session import Settings
from txlviz.ui.token_strip import token_strip

LEAST = 0.05
"""Nats; smaller changes get no arc."""
MOST_ARCS = 40
_PLACE, _WORD = "swap_place", "swap_word"
_LONGEST_WORD = 80  # characters; only the first token counts


def draw(settings: Settings) -> None:
    """The controls, the strip, the arcs and the counts."""
    words = labels()
    st.header(prose("swap_head"), anchor=False)
    left, right = st.columns([3, 1], gap="large", vertical_alignment="bottom")
    left.markdown(prose("swap"))
    options = words["swap_words"].split(" | ")
    with right:
        word = st.selectbox(words[_WORD], options, key=_WORD, accept_new_options=True, help=prose("help_swap"))
    source = models.checkpoint(settings.preset, "xl")
    inputs = source.tokenizer.show(source.inputs(settings.text))
    place = _place(settings, len(inputs))
    token = _token(settings, place, str(word or options[0])[:_LONGEST_WORD])
    found = {kind: _swapped(settings, kind, place, token) for kind in KINDS}
    starts = list(range(0, len(inputs), settings.segment_length))
    much = np.flatnonzero(np.abs(np.nan_to_num(found["xl"].change)) >= LEAST)
    token_strip(
        inputs,
        starts,
        marks=[(int(at), int(at) + 1) for at in much],
        selected=place,
        on_select=_choose,
        required=True,
        bar_height=0,
        steady=True,
        title=words["swap_strip"].format(least=LEAST),
        label=words["swap_strip"].format(least=LEAST),
        name="swapped",
        key="swap_strip",
    )
    if place == len(inputs) - 1:
        st.info(prose("swap_last"))
        return
    title = words["arcs_title"].replace("{place}", str(place)).replace("{other}", quoted(source.tokenizer.show([token])[0]))
    chart(
        *_drawn(tuple(inputs), settings.segment_length, found["xl"], found["vanilla"], shades()),
        title=title.replace("{token}", quoted(inputs[place])),
        name=f"sabotage-{place}",
        alt=words["arcs_alt"],
        key="arcs",
    )
    st.markdown(
        f"{_said('xl', found['xl'], settings.segment_length)} {_said('vanilla', found['vanilla'], settings.segment_length)}"
    )


@lru_cache(maxsize=64)  # another way of change further up leaves it as it is
def _drawn(
    inputs: tuple[str, ...], L: int, xl: Sabotage, vanilla: Sabotage, shade: tuple[tuple[str, str], ...]
) -> tuple[go.Figure, pd.DataFrame]:
    words, place, runs = labels(), xl.place, {"xl": xl, "vanilla": vanilla}
    changes: dict[str, Any] = {kind: one.change for kind, one in runs.items()}
    starts = range(0, len(inputs), L)
    figure = arcs(place, inputs, changes, starts, dict(shade), words, least=LEAST, most_arcs=MOST_ARCS)
    return figure, arcs_facts(place, inputs, {kind: (one.before, one.after) for kind, one in runs.items()}, words)


def _said(kind: str, one: Sabotage, L: int) -> str:
    """The counts of one model. A token is predicted in the segment of the place before it."""
    places = np.arange(len(one.after))
    later, beyond = places > one.place, (places - 1) // L > one.place // L
    much = np.abs(np.nan_to_num(one.change)) >= LEAST
    values: dict[str, Any] = {
        "count": int(later.sum()),
        "changed": int(one.changed.sum()),
        "much": int(much.sum()),
        "beyond": int((one.changed & beyond).sum()),
        "beyond_much": int((much & beyond).sum()),
        "beyond_count": int(beyond.sum()),
        "least": LEAST,
    }
    ends = "_ends" if kind == "vanilla" and not beyond.any() else ""
    return prose(f"swap_{kind}{ends}", **values)


def _place(settings: Settings, total: int) -> int:
    """The place to swap: the one that was clicked, as long as the text stays; else a name that returns."""
    if session.went_back() or _PLACE not in st.session_state:
        place = session.read("swap", range(total), -1)
        st.session_state[_PLACE] = (settings.text, place)
    text, place = st.session_state[_PLACE]
    (default,) = models.remembered(_returning, models.checkpoint(settings.preset, "xl"), settings.text, settings.segment_length)
    if text != settings.text or not 0 <= place < total:
        place = default
    st.session_state[_PLACE] = (settings.text, place if place != default else -1)
    session.write("swap", place, default)
    return int(place)


def _choose(place: int | None) -> None:
    """The token that was clicked. One token is always swapped: what would take it back changes nothing."""
    if place is not None:
        st.session_state[_PLACE] = (st.session_state[_PLACE][0], place)


def _returning(source: Any, text: str, L: int) -> tuple[int]:
    return (returning(source, text, L),)


def _token(settings: Settings, place: int, word: str) -> int:
    source = models.checkpoint(settings.preset, "xl")
    try:
        return replacement(source, settings.text, place, word)
    except ValueError:
        st.warning(prose("swap_refused"))
        return replacement(source, settings.text, place, "the")


def _swapped(settings: Settings, kind: models.Kind, place: int, token: int) -> Sabotage:
    rows = settings.memory_length if kind == "xl" else 0
    reading = (models.checkpoint(settings.preset, kind), settings.text, settings.segment_length, rows)
    before = models.remembered(losses_with, *reading)
    return models.remembered(_against, *reading, place, token, unkeyed={"before": before})


def _against(source: Any, text: str, L: int, M: int, place: int, token: int, *, before: Any) -> Sabotage:
    return Sabotage(place, token, before, losses_with(source, text, L, M, place, token))
