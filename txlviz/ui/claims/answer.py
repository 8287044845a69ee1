"""The answer to one claim: the verdict, what was measured, a figure, the rule, and the command."""

from __future__ import annotations

from typing import Any

import streamlit as st

from txlviz.claims import CLAIMS, Claim, Verdict, said
from txlviz.recorded import RecordError
from txlviz.ui import models, session
from txlviz.ui.chart import chart
from txlviz.ui.claims import figures, results, tables
from txlviz.ui.claims.results import Result
from txlviz.ui.claims.words import PAGES, label, prose

ICONS: dict[Verdict, str] = {
    "holds": ":material/check_circle:",
    "holds with conditions": ":material/rule:",
    "does not hold": ":material/cancel:",
    "not measured": ":material/help:",
    "can't be measured": ":material/history:",
}


def verdict(claim: Claim, found: Verdict) -> str:
    """The verdict in words, with what it rests on."""
    return label(f"verdict_{found}") + said.basis(claim.number)


def draw(number: int, result: Result | None) -> Waiting | None:
    """The answer, at once from the record. Returns what is to be computed yet, for the end of the run."""
    claim = CLAIMS[number]
    with st.container(border=True, key=f"claim-answer-{number}"):
        if result is None:
            if not claim.live:
                st.markdown(prose("not_recorded"))
                _command(claim)
                return None
            try:
                result = results.live(number)
            except RecordError as error:
                st.markdown(prose("not_recorded"))
                st.code(models.without_place(error), language=None, wrap_lines=True)
                _command(claim)
                return None
        picture = figures.picture(number, result.numbers)
        left, right = st.columns([6, 5], gap="large")
        with left:
            st.markdown(said.answer(number, result.numbers))
            line = st.empty()
            _source(claim, result, line)
            st.markdown(f"{prose('made', made=said.made(number))}\n\n{prose('rule', rule=said.rule(number))}")
            _command(claim)
        with right:
            if picture is None:
                tables.draw(number, result.numbers)
            else:
                chart(
                    picture.figure,
                    picture.facts,
                    title=picture.title,
                    name=f"claim-{number}",
                    alt=f"{said.sentence(number)} {picture.title}",
                    key=f"claim_{number}",
                )
        if picture is None and not claim.made_by:
            return _later(claim, result, line)
        with st.expander(prose("numbers_fold" if picture is not None else "records_fold")):
            if picture is not None:
                tables.draw(number, result.numbers)
            _sources(claim)
    return _later(claim, result, line)


def _later(claim: Claim, result: Result, line: Any) -> Waiting | None:
    return Waiting(claim, result, line) if claim.live and result.recorded and claim.measures else None


class Waiting:
    """A live claim that shows its recorded numbers, and is computed again once the page stands."""

    def __init__(self, claim: Claim, result: Result, line: Any) -> None:
        self.claim, self.result, self.line = claim, result, line

    def compute(self) -> None:
        """Computes, and says beside the numbers how many of them are the same."""
        try:
            now = results.live(self.claim.number)
        except RecordError:
            return  # the recorded numbers stand as they are
        agree, count = results.agreement(self.claim.number, now.numbers, self.result.numbers)
        clock = prose("live_clock") if self.claim.by_clock else ""
        self.line.caption(prose("live_same", agree=agree, count=count, clock=clock))


def _source(claim: Claim, result: Result, line: Any) -> None:
    """Where the numbers come from."""
    if not claim.measures:
        line.caption(prose("quoted" if claim.quoted else "history"))
    elif not result.recorded:
        line.caption(prose("live_only"))
    elif claim.live:
        line.caption(prose("live_wait"))
    else:
        line.caption(prose("recorded", corpus=prose("recorded_corpus") if claim.needs_corpus else ""))


def _command(claim: Claim) -> None:
    st.code(f"python -m txlviz claim {claim.number}", language="bash", wrap_lines=True)
    with st.container(horizontal=True, gap="medium", vertical_alignment="center"):
        notes = [prose("corpus_note")] if claim.needs_corpus else []
        if claim.made_by:
            slow = any(command.startswith("measure landscape") or command.endswith("losses") for command in claim.made_by)
            notes.append(prose("records_note", time=prose("records_time_long" if slow else "records_time")))
        st.caption(" ".join(notes))
        page = PAGES[claim.number]
        name = page.replace("_", " ").capitalize()
        st.page_link(
            f"pages/{page}.py",
            label=label("shown_on", page=name),
            icon=":material/arrow_forward:",
            query_params=session.address(),
        )


def _sources(claim: Claim) -> None:
    """The commands behind the records that it reads."""
    for key, commands in (("made_by", claim.made_by), ("trained_by", claim.trained_by)):
        if commands:
            st.caption(prose(key))
            st.code("\n".join(f"python -m txlviz {command}" for command in commands), language="bash", wrap_lines=True)
