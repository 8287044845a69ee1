"""The sentences beside the accuracies: the rule with the numbers of these settings, and what was measured."""

from __future__ import annotations

import streamlit as st

from txlviz.tasks.echo import in_sight
from txlviz.tasks.record import Cell, Record
from txlviz.ui.echo.controls import NOWHERE, SEGMENT_LENGTH, Choice
from txlviz.ui.echo.view import cliff, two_looks
from txlviz.ui.echo.words import labels, prose


def draw(record: Record, choice: Choice) -> None:
    """The rule with the numbers of these settings, and what was measured."""
    if not choice.revealed:
        st.markdown(prose("hidden", M=choice.tested, delay=choice.delay))
        return
    st.markdown(prose("rule"))
    st.markdown(" ".join([_rule(choice), _guess(choice)]))
    xl, vanilla = record.cell("xl", choice.delay, choice.trained), record.cell("vanilla", choice.delay)
    if xl is not None:
        said = [_measured(xl, choice), _price(xl, choice), _learned(xl, choice)]
        st.markdown(" ".join(part for part in said if part))
    if vanilla is not None:
        st.markdown(_vanilla(vanilla, choice))
    st.caption(prose("recorded", samples=record.samples))


def _rule(choice: Choice) -> str:
    first, need = cliff(choice.delay, choice.tested), choice.delay - 1
    key = "cliff_none" if first is None else "cliff_some" if first else "cliff_all"
    return prose(key, M=choice.tested, need=need, cliff=first)


def _guess(choice: Choice) -> str:
    if choice.guess is None:
        return ""
    first = cliff(choice.delay, choice.tested)
    if choice.guess == (NOWHERE if first is None else first):
        return prose("guess_right")
    return prose("guess_wrong", guess=labels()["nowhere"] if choice.guess == NOWHERE else f"p = {choice.guess}")


def _measured(cell: Cell, choice: Choice) -> str:
    shares, seen = cell.accuracy[choice.tested], in_sight(choice.delay, SEGMENT_LENGTH, choice.tested)
    parts = [("in_sight", seen), ("out_of_sight", ~seen)]
    return prose("measured", shares=", ".join(prose(key, share=shares[at].mean()) for key, at in parts if at.any()))


def _price(cell: Cell, choice: Choice) -> str:
    first = two_looks(choice.delay, choice.tested)
    if first is None or cell.learned is not True:
        return ""
    last = cliff(choice.delay, choice.tested)
    share = float(cell.accuracy[choice.tested][first:last].mean())
    return prose("price" if share < 0.15 else "price_some", first=first, share=share)


def _learned(cell: Cell, choice: Choice) -> str:
    if cell.learned is None:
        return prose("nothing_to_learn", trained=cell.trained_memory)
    if cell.learned:
        return ""
    seen = in_sight(cell.delay, SEGMENT_LENGTH, cell.trained_memory)
    own = float(cell.accuracy[cell.trained_memory][seen].mean())
    return prose("not_learned", steps=cell.steps, seeds=cell.seed + 1, share=own)


def _vanilla(cell: Cell, choice: Choice) -> str:
    seen = in_sight(choice.delay, SEGMENT_LENGTH, 0)
    shares = cell.accuracy[0]
    if not seen.any():
        return prose("vanilla_long", share=shares.mean())
    return prose("vanilla_short" if cell.learned else "vanilla_not_learned", need=choice.delay - 1, share=shares[seen].mean())
