"""What the Echo test shows of recorded models: the accuracies with the cliff, the stream, and the sentences beside them."""

from __future__ import annotations

from functools import cache

import numpy as np
import pandas as pd
import streamlit as st
from numpy.typing import NDArray

from txlviz.analysis.spans import memory_span
from txlviz.figures import echo, echo_strip
from txlviz.figures.echo_layers import NAMES, Levels
from txlviz.tasks.echo import EchoTask, in_sight, stream
from txlviz.tasks.record import FILE, Record, from_values
from txlviz.ui import models, theme
from txlviz.ui.chart import chart
from txlviz.ui.echo.controls import NOWHERE, SEGMENT_LENGTH, Choice
from txlviz.ui.echo.words import labels, prose

LAYERS = 2
PRESET = "tasks/echo"
_LETTERS = "ABCDEFGHIJKLMNOP"
_SHOWN_SEED = 7


def levels(task: EchoTask) -> Levels:
    """The best possible accuracy and chance."""
    return Levels(task.best, task.chance)


def cliff(delay: int, memory: int) -> int | None:
    """The first position from which one look reaches the source; None where there is none."""
    seen = in_sight(delay, SEGMENT_LENGTH, memory)
    return int(seen.argmax()) if seen.any() else None


@cache
def two_looks(delay: int, memory: int) -> int | None:
    """The first position from which the memory span of two layers reaches the source, where one look doesn't."""
    reach = np.asarray(memory_span(LAYERS, SEGMENT_LENGTH, memory))[-1]
    relay = (reach >= delay - 1) & ~in_sight(delay, SEGMENT_LENGTH, memory)
    return int(relay.argmax()) if relay.any() else None


def accuracy(record: Record, choice: Choice) -> None:
    """The accuracies at each position; before the cliff is shown, the empty picture with the viewer's line."""
    task = EchoTask(choice.delay)
    curves = _curves(record, choice) if choice.revealed else {}
    pointed = _line(choice)
    marks = echo.Marks(pointer=choice.pointer, pointer_label=pointed)
    if choice.revealed:
        marks = echo.Marks(cliff(choice.delay, choice.tested), two_looks(choice.delay, choice.tested), choice.pointer, pointed)
    figure = echo.by_position(curves, levels(task), marks, theme.model_colours(), theme.ink())
    chart(
        figure,
        facts(curves, choice.delay, choice.tested),
        title=prose("chart_title" if choice.revealed else "chart_title_hidden"),
        name=f"echo-D{choice.delay}-M{choice.trained}-tested-M{choice.tested}",
        alt=f"Share of right answers at input positions 0 to {SEGMENT_LENGTH - 1}, with the best possible and chance as lines.",
        key="echo-accuracy",
    )


def _line(choice: Choice) -> str:
    """What is written on the viewer's line."""
    return labels()["nowhere"] if choice.pointer == NOWHERE else f"{labels()['you']}: p = {choice.pointer}"


def facts(curves: dict[str, NDArray[np.float64]], delay: int, memory: int) -> pd.DataFrame:
    """A row a position: what is in sight there, and how often each model is right."""
    seen = in_sight(delay, SEGMENT_LENGTH, memory)
    table = pd.DataFrame({"Input position p": np.arange(SEGMENT_LENGTH)})
    if curves:
        table[f"In sight (p + {memory} ≥ {delay - 1})"] = np.where(seen, "yes", "no")
    for kind, shares in curves.items():
        table[f"{NAMES[kind]}, share right"] = shares
    return table


def _curves(record: Record, choice: Choice) -> dict[str, NDArray[np.float64]]:
    xl, vanilla = record.cell("xl", choice.delay, choice.trained), record.cell("vanilla", choice.delay)
    found = {"xl": (xl, choice.tested), "vanilla": (vanilla, 0)}
    return {kind: cell.accuracy[rows] for kind, (cell, rows) in found.items() if cell is not None}


def strip(choice: Choice) -> None:
    """The stream as position p sees it; the way to the source once the cliff is shown."""
    stretch = stretched(choice)
    figure = echo_strip.strip(stretch, theme.model_colours(), theme.ink(), arc=choice.revealed)
    table = echo_strip.rows(stretch)
    if not choice.revealed:
        table["role"] = table["role"].replace("source", "")
    heads = {"place": "Place from the segment's start", "symbol": "Symbol", "state": "To position p it is", "role": "Role"}
    chart(
        figure,
        table.drop(columns="age").rename(columns=heads),
        title=prose("strip_title"),
        name=f"echo-stream-D{choice.delay}-M{choice.tested}-p{choice.position}",
        alt="A row of symbols: the memory, then the segment; input, target and its source are framed.",
        key="echo-strip",
    )
    if choice.revealed and stretch.symbols[stretch.target] != stretch.symbols[stretch.source]:
        st.caption(prose("noise_here"))


def stretched(choice: Choice) -> echo_strip.Stretch:
    """A real stream around a segment, far from its beginning."""
    low = -max(choice.tested, choice.delay - 1, 12)  # room for the memory's name
    before = 2 * choice.delay - low
    ids = stream(EchoTask(choice.delay), 1, before + SEGMENT_LENGTH + 1, _SHOWN_SEED)[0].tolist()
    symbols = {place: _LETTERS[ids[before + place]] for place in range(low, SEGMENT_LENGTH + 1)}
    return echo_strip.Stretch(symbols, SEGMENT_LENGTH, choice.tested, choice.position, choice.delay)


def record() -> Record:
    """The recorded runs. ValueError, with one sentence, where they can't be read."""
    return from_values(models.recorded(PRESET, FILE))
