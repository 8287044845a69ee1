"""The figures that follow the cut: the strip, the difference along the text, and one token at every position."""

from __future__ import annotations

import math

import numpy as np
import streamlit as st

from txlviz.figures import fragmentation
from txlviz.ui import session
from txlviz.ui.chart import chart
from txlviz.ui.fragmentation.cuts import Reading
from txlviz.ui.fragmentation.words import colours, labels, prose
from txlviz.ui.session import Settings
from txlviz.ui.token_strip import per_place, token_strip

_TRY = 40  # rows of memory with which the cut shows in the Transformer-XL too


def strip(reading: Reading) -> None:
    """The text with its cuts and both models' surprise. Bars keep their scale while the cut moves."""
    words = labels()
    largest = max(float(np.nanmax(table)) for table in reading.tables.values())
    token_strip(
        reading.inputs,
        reading.starts,
        xl=per_place(list(reading.xl)),
        vanilla=per_place(list(reading.vanilla)),
        selected=session.selected_token(),
        on_select=session.select_token,
        bar_height=30,
        longest=max(6.0, 3.0 * math.ceil(largest / 3)),
        steady=True,
        title=words["strip_title"],
        label=words["strip"],
        name=f"cut-{reading.cut}",
        key="cut_strip",
    )


def difference(reading: Reading) -> None:
    """Vanilla minus Transformer-XL at each token."""
    words = labels()
    facts = fragmentation.difference_facts(reading.inputs, reading.xl, reading.vanilla, reading.starts)
    chart(
        fragmentation.difference(facts, reading.starts, colours()),
        facts,
        title=words["difference_title"],
        name=f"difference-cut-{reading.cut}",
        alt=words["difference_alt"],
        key="difference",
    )


def selected_place(reading: Reading) -> int:
    """The selected token; without one the last."""
    place = session.selected_token()
    return len(reading.inputs) - 1 if place is None or place >= len(reading.inputs) else place


def one_token(reading: Reading) -> None:
    """The selected token's losses against its position, over all cuts."""
    place = selected_place(reading)
    if place == 0:
        st.caption(prose("newline"))
        return
    words, token = labels(), place - 1
    facts = fragmentation.one_token_facts(
        reading.positions(token), range(reading.L), reading.tables["xl"][:, token], reading.tables["vanilla"][:, token]
    )
    shown = reading.inputs[place]
    shown = shown[1:] if len(shown) > 1 and shown.startswith("␣") else shown
    chart(
        fragmentation.one_token(facts, reading.cut, colours()),
        facts,
        title=words["token_title"].replace("{place}", str(place)).replace("{token}", shown),
        name=f"token-{place}-by-position",
        alt=words["token_alt"],
        key="one_token",
    )


def this_cut(reading: Reading) -> str:
    """What is seen with this cut, as Markdown."""
    said = prose(
        "this_cut",
        vanilla=float(reading.vanilla.mean()),
        xl=float(reading.xl.mean()),
        loses=100 * float((reading.xl > reading.vanilla).mean()),
    )
    gap = reading.vanilla - reading.xl
    if len(reading.starts) == 1:
        return f"{said} {prose('gap_one_segment')}"
    first, later = np.split(gap, [reading.starts[1]])
    key = "gap" if reading.M else "gap_no_memory"
    return f"{said} {prose(key, first=f'{first.mean():+.2f}', later=f'{later.mean():+.2f}')}"


def all_cuts(reading: Reading) -> str:
    """What all cuts together say, as Markdown."""
    vanilla, xl, count = reading.spread
    return prose("all_cuts", L=reading.L, vanilla=vanilla, xl=xl, count=count)


def opening(settings: Settings, tokens: int) -> str:
    """What to try, as Markdown; where the memory holds the whole text of so many ``tokens``, a smaller one as well."""
    less = min(_TRY, tokens // 4)
    if less and tokens <= settings.memory_length:
        return f"{prose('opening')} {prose('whole_history', M=settings.memory_length, less=less)}"
    return prose("opening")
