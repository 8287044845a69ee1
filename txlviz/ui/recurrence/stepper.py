"""Recurrence and memory: the stepper over the segments, with the formulas of the recurrence beside it."""

from __future__ import annotations

import streamlit as st

from txlviz.analysis.memory_rows import memory_rows
from txlviz.figures.memory_rows import film
from txlviz.ui import models, session, theme
from txlviz.ui.memory_stepper import memory_stepper
from txlviz.ui.recurrence.words import prose, words

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


def draw(settings: session.Settings) -> None:
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
