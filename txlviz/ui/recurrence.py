"""Recurrence and memory: the stepper over the segments, with the formulas of the recurrence beside it."""

from __future__ import annotations

from functools import cache

import streamlit as st

from txlviz.analysis.memory_rows import memory_rows
from txlviz.figures.memory_rows import film
from txlviz.figures.span import Inks
from txlviz.ui import models, session, text, theme
from txlviz.ui.memory_stepper import memory_stepper

PAGE = "recurrence_and_memory"
_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")

# Section 3.2, with what memory holds in the model's colour.
_RECURRENCE = r"""
\begin{aligned}
\tilde h^{n-1}_{\tau+1} &= [\, \mathrm{SG}(\XL{h^{n-1}_{\tau}}) \circ h^{n-1}_{\tau+1} \,] \\
q^n_{\tau+1} &= h^{n-1}_{\tau+1} W_q^{n\top} \\
k^n_{\tau+1} &= \tilde h^{n-1}_{\tau+1} W_k^{n\top} \\
v^n_{\tau+1} &= \tilde h^{n-1}_{\tau+1} W_v^{n\top} \\
h^n_{\tau+1} &= \text{Transformer-Layer}(q, k, v)
\end{aligned}
"""


@cache
def words(section: str) -> dict[str, str]:
    """Name to string, from a section of the page's text: one a line, ``name: text``."""
    return dict(line.split(": ", 1) for line in text.prose(PAGE, section).splitlines() if line)


def prose(key: str, **values: object) -> str:
    """A section of the page's text with its numbers filled in."""
    return text.prose(PAGE, key).format(**values)


def inks() -> Inks:
    """The colours of the figures in the viewer's theme."""
    return Inks(theme.model_colours()["xl"], str(st.get_option(f"theme.{theme.scheme()}.textColor")))


def size(value: float) -> str:
    """A small difference, as people write it: 1.0 × 10⁻⁵."""
    if value == 0:
        return "0"
    if value >= 0.01:
        return f"{value:.2g}"
    digits, power = f"{value:.1e}".split("e")
    return f"{digits} × 10{str(int(power)).translate(_RAISED)}"


def stepper(settings: session.Settings) -> None:
    """The stepper for the page's text, and the recurrence of section 3.2."""
    st.markdown(prose("stepper_opening"))
    L, M = settings.segment_length, settings.memory_length
    rows = models.remembered(memory_rows, models.checkpoint(settings.preset, "xl"), settings.text, L, M)
    place = session.selected_token()
    last = len(rows.inputs) - 1
    left, right = st.columns([2.7, 1], gap="medium")
    with left:
        memory_stepper(film(rows, M, last if place is None else min(place, last)), words("stepper"), key="memory_stepper")
    with right:
        with st.container(key="txl-recurrence-formula"):
            st.latex(_RECURRENCE.replace(r"\XL", rf"\textcolor{{{theme.model_colours()['xl']}}}"))
        st.markdown(prose("stepper_meaning"))
