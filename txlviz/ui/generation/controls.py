"""The page's own controls: the attention length, the prompt, how tokens are drawn, and the buttons that start and stop."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import streamlit as st

from txlviz.generation import Sampling
from txlviz.ui import session
from txlviz.ui.generation.filler import library
from txlviz.ui.generation.words import labels, prose

ATTENTION_LENGTHS = (64, 128, 256, 512, 1024, 2048)
COUNTS = range(50, 501, 50)
SEEDS = (0, 999)
OWN = ""  # the prompt is the text of the strip
START = "sg_start"
_VALUES, _FIRST = "sg_values", "sg_first"
# The browser makes these when their fold is opened first, and by then has forgotten what the session told it: they get their
# values as the widgets' own defaults.
_FOLDED = ("sg_top_k", "sg_top_p", "sg_penalty", "sg_fill")
_DEFAULTS: dict[str, Any] = {
    "sg_A": 64,
    "sg_prompt": OWN,
    "sg_temperature": 0.8,
    "sg_seed": 0,
    "sg_count": 200,
    "sg_top_k": 0,
    "sg_top_p": 1.0,
    "sg_penalty": 1.0,
    "sg_fill": True,
}


@dataclass(frozen=True)
class Choice:
    """What the controls say, put right."""

    attention_length: int
    prompt: str
    """A name in the library, or ``OWN``."""
    count: int
    seed: int
    sampling: Sampling
    fill: bool


def draw(running: bool) -> Choice:
    """One row, and the rest behind a button."""
    words = labels()
    _restore()
    with st.container(key="sg-controls", horizontal=True, vertical_alignment="bottom", gap="small"):
        st.button(
            words["double"],
            key="sg_double",
            type="primary",
            on_click=_double,
            disabled=_number("sg_A", *ATTENTION_LENGTHS[:: len(ATTENTION_LENGTHS) - 1]) >= ATTENTION_LENGTHS[-1],
        )
        st.select_slider(words["A"], ATTENTION_LENGTHS, key="sg_A", format_func="{:,}".format, width=185, help=prose("help_A"))
        st.selectbox(
            words["prompt"],
            [OWN, *library()],
            key="sg_prompt",
            format_func=lambda name: name or words["own"],
            width=185,
            help=prose("help_prompt"),
        )
        st.slider(words["temperature"], 0.0, 2.0, step=0.05, key="sg_temperature", width=130, help=prose("help_temperature"))
        st.number_input(words["seed"], *SEEDS, key="sg_seed", width=95, help=prose("help_seed"))
        st.select_slider(words["count"], COUNTS, key="sg_count", width=125)
        if running:
            st.button(words["stop"], key="sg_stop", on_click=_stop)
        else:
            st.button(words["go"], key="sg_go", on_click=_start)
        first = st.session_state[_FIRST]
        with st.popover(words["more"]):
            st.number_input(words["top_k"], 0, 1000, value=first["sg_top_k"], key="sg_top_k", help=prose("help_top_k"))
            st.slider(words["top_p"], 0.05, 1.0, step=0.05, value=first["sg_top_p"], key="sg_top_p", help=prose("help_top_p"))
            st.slider(
                words["penalty"], 1.0, 2.0, step=0.05, value=first["sg_penalty"], key="sg_penalty", help=prose("help_penalty")
            )
            st.toggle(words["fill"], value=first["sg_fill"], key="sg_fill", help=prose("help_fill"))
    choice = _choice()
    session.write("A", choice.attention_length, _DEFAULTS["sg_A"])
    return choice


def wanted() -> bool:
    """Whether a start was asked for, since the last question. The first visit starts by itself."""
    return bool(st.session_state.pop(START, "sg_run" not in st.session_state))


def _start() -> None:
    st.session_state[START] = True


def _stop() -> None:
    st.session_state["sg_run"].stop()


def _double() -> None:
    """Takes the next attention length, and starts."""
    now = _number("sg_A", ATTENTION_LENGTHS[0], ATTENTION_LENGTHS[-1])
    st.session_state["sg_A"] = next((A for A in ATTENTION_LENGTHS if now < A), ATTENTION_LENGTHS[-1])
    _start()


def _restore() -> None:
    """Gives the widgets their values: those of the last visit, or of the address, or the defaults."""
    kept: dict[str, Any] = st.session_state.get(_VALUES, {})
    first: dict[str, Any] = st.session_state.setdefault(_FIRST, {})
    for key, default in _DEFAULTS.items():
        if key not in st.session_state:
            if key in _FOLDED:
                first[key] = kept.get(key, default)
                continue
            st.session_state[key] = kept.get(key, default)
            if key == "sg_A" and key not in kept:
                st.session_state[key] = session.read("A", ATTENTION_LENGTHS, default)
    if session.went_back():
        st.session_state["sg_A"] = session.read("A", ATTENTION_LENGTHS, _DEFAULTS["sg_A"])


def _choice() -> Choice:
    """The widgets' bounds are the browser's; here they are kept."""
    A = _number("sg_A", ATTENTION_LENGTHS[0], ATTENTION_LENGTHS[-1])
    prompt = st.session_state["sg_prompt"]
    top_k = int(_number("sg_top_k", 0, 1000))
    top_p = _number("sg_top_p", 0.05, 1.0)
    st.session_state[_VALUES] = {key: st.session_state[key] for key in _DEFAULTS}
    return Choice(
        attention_length=min(ATTENTION_LENGTHS, key=lambda one: abs(one - A)),
        prompt=prompt if prompt in library() else OWN,
        count=int(_number("sg_count", COUNTS[0], COUNTS[-1])),
        seed=int(_number("sg_seed", *SEEDS)),
        sampling=Sampling(
            temperature=_number("sg_temperature", 0.0, 2.0),
            top_k=top_k or None,
            top_p=top_p if top_p < 1 else None,
            repetition_penalty=_number("sg_penalty", 1.0, 2.0),
        ),
        fill=bool(st.session_state["sg_fill"]),
    )


def _number(key: str, least: float, most: float) -> float:
    value = st.session_state.get(key)
    number = value if isinstance(value, int | float) and not isinstance(value, bool) else _DEFAULTS[key]
    return min(max(number, least), most)
