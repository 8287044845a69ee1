"""What the viewer did: the guesses, the claim that is open, and whether all answers are shown. It outlives the page."""

from __future__ import annotations

from collections.abc import Mapping, Set

import streamlit as st

from txlviz.claims import CLAIMS, GUESSES, Verdict
from txlviz.ui import session
from txlviz.ui.claims.words import GROUPS

_GUESSES, _OPEN, _REVEALED, _SHOWN = "claims_guesses", "claims_open", "claims_revealed", "claims_unfolded"


def restore() -> None:
    """Call it once a run, first: takes what is open and revealed from the address, on the first visit and on the way back."""
    if session.went_back() or _OPEN not in st.session_state:
        st.session_state[_OPEN] = session.read("claim", range(max(CLAIMS) + 1), 0)
        st.session_state[_REVEALED] = session.read("revealed", (0, 1), 0) == 1
        st.session_state[_SHOWN] = {_group_of(opened())}
    st.session_state.setdefault(_GUESSES, {})


def keep() -> None:
    """Call it once a run, last: writes both into the address."""
    session.write("claim", st.session_state[_OPEN], 0)
    session.write("revealed", int(st.session_state[_REVEALED]), 0)


def guesses() -> Mapping[int, Verdict]:
    """By claim; a guess isn't taken back, since the answer has been seen."""
    found: dict[int, Verdict] = st.session_state[_GUESSES]
    return found


def answered(number: int) -> bool:
    """Whether the answer may be shown."""
    return number in guesses() or revealed()


def revealed() -> bool:
    """Whether all answers are shown."""
    return bool(st.session_state[_REVEALED])


def opened() -> int:
    """The claim that is open; 0: none."""
    return int(st.session_state[_OPEN])


def unfolded() -> Set[str]:
    """The groups that begin unfolded: the first, or that of the claim in the address, and those in which one was guessed."""
    found: set[str] = st.session_state[_SHOWN]
    return set(GROUPS) if revealed() else found


def _group_of(number: int) -> str:
    return next((name for name, numbers in GROUPS.items() if number in numbers), next(iter(GROUPS)))


def widget(number: int) -> str:
    """The key of a claim's buttons."""
    return f"claim_guess_{number}"


def take(number: int) -> None:
    """Takes the guess that the buttons say, and opens the claim."""
    guess = st.session_state.get(widget(number))
    if guess in GUESSES and number not in guesses():
        st.session_state[_GUESSES][number] = guess
        st.session_state[_OPEN] = number
        st.session_state[_SHOWN].add(_group_of(number))


def toggle(number: int) -> None:
    """Opens a claim, or closes it."""
    st.session_state[_OPEN] = 0 if opened() == number else number


def reveal() -> None:
    """Shows all answers, or hides again those that weren't guessed."""
    st.session_state[_REVEALED] = not revealed()


def restart() -> None:
    """Forgets all guesses."""
    st.session_state.update({_GUESSES: {}, _OPEN: 0, _REVEALED: False, _SHOWN: {_group_of(0)}})
