"""The figures of the Relative positions page that are always shown."""

from __future__ import annotations

import streamlit as st

import txlviz
from txlviz.analysis.layer_inputs import LayerInputs, layer_inputs
from txlviz.analysis.position_curves import PositionCurves, position_curves
from txlviz.analysis.shift_window import ShiftWindow, shift_window
from txlviz.figures import positions as figures
from txlviz.recorded import RecordError
from txlviz.ui import models, theme
from txlviz.ui.chart import chart
from txlviz.ui.positions.controls import Choice
from txlviz.ui.positions.words import labels, prose
from txlviz.ui.session import Settings
from txlviz.ui.shift_stepper import shift_stepper
from txlviz.ui.typed import other_script

RECORD = "length.json"


def stepper(settings: Settings, choice: Choice, tokens: list[str]) -> None:
    """The relative shift on the window that the controls chose."""
    xl, inputs = models.checkpoint(settings.preset, "xl"), _inputs(settings)
    window = models.remembered(
        _window,
        xl,
        *_reading(settings),
        *(choice.layer, choice.head, choice.last, choice.n_queries, choice.n_keys),
        unkeyed={"inputs": inputs},
    )
    shift_stepper(
        window,
        tokens,
        labels(),
        segment_length=settings.segment_length,
        memory_length=settings.memory_length,
        name=f"txlviz-shift-layer{choice.layer + 1}-head{choice.head + 1}",
        key="shift_stepper",
    )


def curves(settings: Settings, choice: Choice) -> None:
    """Each head's position curve over the typed text."""
    xl, words = models.checkpoint(settings.preset, "xl"), labels()
    found = models.remembered(_curves, xl, *_reading(settings), unkeyed={"inputs": _inputs(settings)})
    data = (found.mean, found.bias, found.queries, choice.layer, choice.head)
    chart(
        figures.curves(*data, {**theme.model_colours(), **theme.term_colours()}, words),
        figures.curve_facts(*data, words),
        title=words["curves_title"].format(layer=choice.layer + 1, head=choice.head + 1),
        name="txlviz-position-curves",
        alt=words["curves_alt"],
        key="position_curves",
    )
    st.markdown(prose("curves"))


def lengths(settings: Settings) -> None:
    """The recorded losses in longer segments, and those of the typed text."""
    words = labels()
    try:
        record = models.recorded(settings.preset, RECORD)
    except RecordError as error:
        st.warning(prose("no_record"))
        st.code(str(error), language=None, wrap_lines=True)
        return
    trained, M, tried = record["segment_length"], record["memory_length"], record["lengths"]
    chart(
        figures.lengths(tried, record["curves"], trained, M, theme.model_colours(), words),
        figures.length_facts(tried, record["curves"], trained, M, words),
        title=words["length_title"],
        name="txlviz-segment-lengths",
        alt=words["length_alt"].format(first=tried[0], last=tried[-1], trained=trained),
        key="segment_lengths",
    )
    st.caption(words["length_source"].format(tokens=record["tokens"]))
    st.markdown(prose("length"))
    st.markdown(_live(settings))


def _live(settings: Settings) -> str:
    """What both models make of the typed text at the strip's L, as Markdown."""
    preset, typed, L, M = settings.preset, settings.text, settings.segment_length, settings.memory_length
    mean = {kind: float(models.trace(preset, kind, typed, L, M).losses.mean()) for kind in ("xl", "vanilla")}
    said = prose("length_live").format(L=L, **mean)
    return f"{said} {prose('other_script')}" if other_script(typed) else said


def _reading(settings: Settings) -> tuple[str, int, int]:
    return settings.text, settings.segment_length, settings.memory_length


def _inputs(settings: Settings) -> LayerInputs:
    return models.remembered(layer_inputs, models.checkpoint(settings.preset, "xl"), *_reading(settings))


# What is remembered is known by the text, L and M; ``inputs`` follows from them, and was made before: one computation at a time
# holds one of the few slots.
def _window(
    xl: txlviz.Checkpoint,
    _text: str,
    _segment_length: int,
    _memory_length: int,
    layer: int,
    head: int,
    last: int,
    n_queries: int,
    n_keys: int,
    *,
    inputs: LayerInputs,
) -> ShiftWindow:
    return shift_window(xl, inputs, layer, head, last, n_queries, n_keys)


def _curves(
    xl: txlviz.Checkpoint, _text: str, _segment_length: int, _memory_length: int, *, inputs: LayerInputs
) -> PositionCurves:
    return position_curves(xl, inputs)
