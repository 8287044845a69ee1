"""The Echo test's own controls: D, the two M, the pointer, and whether the cliff is shown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import streamlit as st

from txlviz.tasks.record import Record
from txlviz.ui import session
from txlviz.ui.echo.words import labels, prose

SEGMENT_LENGTH = 32
NOWHERE = SEGMENT_LENGTH
"""The pointer's last place: from no position on."""

_DEFAULTS = {"delay": 40, "trained": 64, "tested": 16, "pointer": 16}
_NAMES = {"delay": "D", "trained": "trained", "tested": "tested", "pointer": "p"}  # in the address
_KEPT, _REVEALED, _PLACED = "echo_kept", "echo_revealed", "echo_placed"


@dataclass(frozen=True)
class Choice:
    """What the controls say."""

    delay: int
    trained: int
    tested: int
    pointer: int
    """0 to L - 1, or ``NOWHERE``."""
    revealed: bool
    guess: int | None
    """Where the viewer placed the cliff for just these settings, once it is shown."""

    @property
    def position(self) -> int:
        """The input position that is looked at."""
        return min(self.pointer, SEGMENT_LENGTH - 1)


def draw(record: Record) -> Choice:
    """One row: D, training M, test-time M, the line that places the cliff, and the button that shows it."""
    _restore(record)
    with st.container(key="echo-controls", horizontal=True, vertical_alignment="bottom", gap="medium"):
        for name, options in _options(record).items():
            st.select_slider(
                labels()[name],
                options,
                key=f"echo_{name}",
                format_func=_named if name == "pointer" else str,
                help=prose(f"help_{name}"),
            )
        shown = bool(st.session_state.get(_REVEALED))
        st.button(
            labels()["again" if shown else "reveal"],
            key="echo_reveal",
            type="secondary" if shown else "primary",
            on_click=_toggle,
            width="content",
        )
    return _choice(record)


def _named(position: int) -> str:
    return labels()["nowhere"] if position == NOWHERE else f"p = {position}"


def _choice(record: Record) -> Choice:
    """What the controls say, put right; kept for later visits and in the address."""
    values = {name: _value(name, options) for name, options in _options(record).items()}
    revealed = bool(st.session_state.get(_REVEALED))
    st.session_state[_KEPT] = values
    for name, value in values.items():
        session.write(_NAMES[name], value, _DEFAULTS[name])
    session.write("revealed", int(revealed), 0)
    placed = st.session_state.get(_PLACED)
    here = (values["delay"], values["trained"], values["tested"])
    guess = placed[1] if revealed and placed is not None and placed[0] == here else None
    return Choice(**values, revealed=revealed, guess=guess)


def set_tested(rows: int) -> None:
    """Moves the test-time M. For a callback."""
    st.session_state["echo_tested"] = rows


def _toggle() -> None:
    shown = not st.session_state.get(_REVEALED)
    st.session_state[_REVEALED] = shown
    here = tuple(st.session_state.get(f"echo_{name}") for name in ("delay", "trained", "tested"))
    st.session_state[_PLACED] = (here, st.session_state.get("echo_pointer")) if shown else None


def _options(record: Record) -> dict[str, Sequence[int]]:
    return {
        "delay": record.delays(),
        "trained": record.trained_memories(),
        "tested": record.tested_memories(),
        "pointer": range(NOWHERE + 1),
    }


def _restore(record: Record) -> None:
    """Gives the widgets their values: those of the last visit, or of the address, or the defaults."""
    back = session.went_back()
    kept = {} if back else st.session_state.get(_KEPT, {})
    for name, options in _options(record).items():
        if back or f"echo_{name}" not in st.session_state:
            value = kept.get(name, session.read(_NAMES[name], options, _DEFAULTS[name]))
            st.session_state[f"echo_{name}"] = _nearest(value, options)
    if back or _REVEALED not in st.session_state:
        st.session_state[_REVEALED] = st.query_params.get("revealed") == "1"


def _value(name: str, options: Sequence[int]) -> int:
    """A widget's value, put right where the browser or the session has something else."""
    return _nearest(st.session_state.get(f"echo_{name}"), options, _DEFAULTS[name])


def _nearest(value: object, options: Sequence[int], default: int = 0) -> int:
    wanted = value if isinstance(value, int) and not isinstance(value, bool) else default
    return min(options, key=lambda option: abs(option - wanted))
