"""The strip of controls that all pages share: the text, the cut L, the memory M, the models, and one selected token."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

from txlviz.ui import models, start_record, text, whole_characters
from txlviz.ui.typed import TOKEN_LIMIT, Typed, check

SEGMENT_LENGTHS = (8, 256)
MEMORY_LENGTHS = (0, 512)
DEFAULT_SEGMENT_LENGTH = 64

# Longer texts stay out of the address: browsers, mail programs and proxies cut or refuse addresses of a few thousand bytes.
_SHARED_CHARACTERS = 1_500
_LAST_GOOD, _TOKEN = "last_good_text", "selected_token"


@dataclass(frozen=True)
class Settings:
    """What the shared controls say, checked."""

    preset: str
    text: str
    """Not empty, can be encoded, at most 2,000 tokens."""
    segment_length: int
    memory_length: int


def controls(height: int = 76) -> Settings:
    """Draws the strip, and returns what it says. Call it once on a page, where the strip shall stand.

    Args:
        height: of the text box, in pixels.
    """
    _read_address()
    with st.container(key="txl-controls", horizontal=True, vertical_alignment="bottom", gap="medium"):
        typed = st.text_area("Text", key="text", height=height, persist_state="session", label_visibility="collapsed")
        with st.container(key="txl-sliders", horizontal=True, gap="medium"):
            L = st.slider(
                "Segment length L",
                *SEGMENT_LENGTHS,
                value=DEFAULT_SEGMENT_LENGTH,
                key="L",
                bind="query-params",
                help=text.prose("common", "help_L"),
            )
            M = st.slider(
                "Memory length M",
                *MEMORY_LENGTHS,
                value=_default_memory(),
                key="M",
                bind="query-params",
                help=text.prose("common", "help_M"),
            )
        preset = st.segmented_control(
            "Layers",
            models.PRESETS,
            default=models.DEFAULT_PRESET,
            required=True,
            format_func=models.layers_label,
            key="preset",
            bind="query-params",
            help=text.prose("common", "help_preset"),
        )
    whole_characters.guard()
    preset = preset if preset in models.PRESETS else models.DEFAULT_PRESET
    checked = check(typed or "", models.checkpoint(preset, "xl"))
    usable = _usable(checked)
    _write_address(typed or "", usable)
    return Settings(preset, usable, _within(L, SEGMENT_LENGTHS), _within(M, MEMORY_LENGTHS))


def selected_token() -> int | None:
    """The selected place in the inputs (0 is the newline before the text), or None."""
    place = st.session_state.get(_TOKEN)
    return place if isinstance(place, int) else None


def select_token(place: int | None) -> None:
    """Selects a place for all pages. Takes effect at once where it is read later in the same run."""
    st.session_state[_TOKEN] = place
    if place is None:
        st.query_params.pop("token", None)
    else:
        st.query_params["token"] = str(place)


def _usable(checked: Typed) -> str:
    """The text to go on with; says what is wrong with the one typed. The box keeps what was typed."""
    if checked.problem:
        st.warning(text.prose("common", checked.problem).format(tokens=checked.tokens, limit=TOKEN_LIMIT))
    elif whole_characters.REPLACEMENT in (checked.text or ""):
        st.info(text.prose("common", "replaced"))
    if checked.text is None:
        return str(st.session_state.get(_LAST_GOOD) or start_record.default_text())
    place = selected_token()
    moved = st.session_state.get(_LAST_GOOD, checked.text) != checked.text
    if place is not None and (moved or place > min(checked.tokens, TOKEN_LIMIT)):
        select_token(None)  # the place belonged to another text, or an address made it up
    st.session_state[_LAST_GOOD] = checked.text
    return checked.text


def _read_address() -> None:
    """Once a session: the text and the selected token from the address, or the defaults."""
    if "text" in st.session_state:
        return
    st.session_state["text"] = st.query_params.get("text") or start_record.default_text()
    token = st.query_params.get("token", "")
    st.session_state[_TOKEN] = int(token) if token.isascii() and token.isdigit() and len(token) < 6 else None


def _write_address(typed: str, usable: str) -> None:
    """Keeps the address a link to what is on the screen. Streamlit binds the sliders; the text only where it is short."""
    if typed == usable and typed != start_record.default_text() and len(typed) <= _SHARED_CHARACTERS:
        if st.query_params.get("text") != typed:
            st.query_params["text"] = typed
    elif "text" in st.query_params:
        del st.query_params["text"]
    place = selected_token()
    if place is not None and "token" not in st.query_params:  # a switch of pages empties the address
        st.query_params["token"] = str(place)


def _default_memory() -> int:
    """M as the default model's card chose it."""
    return _within(models.checkpoint(models.DEFAULT_PRESET, "xl").config.mem_len, MEMORY_LENGTHS)


def _within(value: int, bounds: tuple[int, int]) -> int:
    """The widget's bounds are the browser's; here they are kept."""
    return min(max(int(value), bounds[0]), bounds[1])
