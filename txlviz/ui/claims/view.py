"""The list: one row a claim, in groups; the score above it."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from txlviz.claims import CLAIMS, GUESSES, agrees, said
from txlviz.recorded import RecordError
from txlviz.ui import models
from txlviz.ui.claims import answer, results, state
from txlviz.ui.claims.answer import Waiting
from txlviz.ui.claims.results import Result
from txlviz.ui.claims.words import GROUPS, label, prose

RECORDS = "python -m txlviz claim all --record"


def draw() -> None:
    """The score, the groups, and at last what is computed while the page stands already."""
    state.restore()
    try:
        recorded = results.recorded()
    except RecordError as error:
        recorded = {}
        st.info(prose("missing"))
        st.code(f"{models.without_place(error)}\n{RECORDS}", language=None, wrap_lines=True)
    _score(recorded)
    waiting = [_group(name, recorded) for name in GROUPS]
    state.keep()
    for one in waiting:
        if one is not None:
            one.compute()


def _score(recorded: Mapping[int, Result]) -> None:
    """How often the viewer agreed, and the buttons for all claims."""
    guessed = {number: guess for number, guess in state.guesses().items() if number in recorded}
    agreed = sum(agrees(guess, recorded[number].verdict) for number, guess in guessed.items())
    with st.container(key="claims-score", horizontal=True, vertical_alignment="center", gap="medium"):
        live = sum(claim.live and claim.measures for claim in CLAIMS.values())
        counts = {"agreed": agreed, "guessed": len(guessed), "total": len(CLAIMS), "live": live}
        st.markdown(prose("score" if guessed else "score_none", **counts), width="stretch")
        st.button(label("hide" if state.revealed() else "reveal"), key="claims_reveal", on_click=state.reveal)
        if state.guesses():
            st.button(label("restart"), key="claims_restart", on_click=state.restart)


def _group(name: str, recorded: Mapping[int, Result]) -> Waiting | None:
    """One group, folded until something in it is asked for."""
    numbers = GROUPS[name]
    done = sum(state.answered(number) for number in numbers)
    waiting = None
    heading = prose("group_progress", name=prose(f"group_{name}"), claims=len(numbers), done=done)
    key = f"claims_group_{name}" + ("_all" if state.revealed() else "")  # another key: the browser unfolds it anew
    with st.expander(heading, expanded=name in state.unfolded(), key=key):
        for number in numbers:
            waiting = _row(number, recorded.get(number)) or waiting
    return waiting


def _row(number: int, result: Result | None) -> Waiting | None:
    with st.container(key=f"claim-row-{number}"):
        left, right = st.columns([5, 4], gap="small", vertical_alignment="center")
        with left.container(gap=None):
            st.markdown(f"**{number}.** {said.sentence(number)}")
            if state.answered(number) and result is not None:
                st.caption(said.short(number, result.numbers))
        with right:
            if not state.answered(number):
                st.segmented_control(
                    label("guess", number=number),
                    GUESSES,
                    format_func=label,
                    key=state.widget(number),
                    on_change=state.take,
                    args=(number,),
                    label_visibility="collapsed",
                    width="stretch",
                )
            else:
                with st.container(horizontal=True, gap="small", vertical_alignment="center"):
                    _verdict(number, result)
                    is_open = state.opened() == number
                    st.button(
                        label("close" if is_open else "open"),
                        key=f"claim_open_{number}",
                        type="tertiary",
                        on_click=state.toggle,
                        args=(number,),
                    )
        if state.opened() != number:
            return None
        if not state.answered(number):
            st.caption(f"{prose('made', made=said.made(number))}")
            return None
        return answer.draw(number, result)


def _verdict(number: int, result: Result | None) -> None:
    """The verdict, and the guess beside it."""
    claim = CLAIMS[number]
    if result is not None:
        st.badge(answer.verdict(claim, result.verdict), icon=answer.ICONS[result.verdict], color="gray")
    guess = state.guesses().get(number)
    if guess is not None:
        agreed = result is not None and agrees(guess, result.verdict)
        st.caption(prose("your_guess", guess=label(guess)) + (f" – {label('agreed')}" if agreed else ""), width="content")
