"""The strip of controls that all pages share: the text, the cut L, the memory M, the models, and one selected token."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from txlviz.ui import again_through_app, models, start_record, text, whole_characters
from txlviz.ui.typed import TOKEN_LIMIT, Typed, check

SEGMENT_LENGTHS = (8, 256)
MEMORY_LENGTHS = (0, 512)
DEFAULT_SEGMENT_LENGTH = 64

# Longer texts stay out of the address: browsers, mail programs and proxies cut or refuse addresses of a few thousand bytes.
_SHARED_CHARACTERS = 1_500
_LAST_GOOD, _TOKEN, _PAGE, _ORDER = "last_good_text", "selected_token", "shown_page", "memory_order"
_ANSWER_WITHIN = 1.5  # seconds from a slider that was set here to a browser that shows it, on a busy machine
_SHARED = ("text", "token", "L", "M", "preset")  # what all pages have in their addresses
_KEPT = ("text", "L", "M", "preset", "memory", "cut")  # widgets whose values outlive the page


@dataclass(frozen=True)
class Settings:
    """What the shared controls say, checked."""

    preset: str
    text: str
    """Not empty, can be encoded, at most 2,000 tokens."""
    segment_length: int
    memory_length: int


_written: dict[str, set[str]] = {}  # a page's own names in the address; "text" and its like are no page's own


@dataclass
class _Order:
    """M, as another handle than its slider set it, while the browser may not have it yet."""

    value: int
    instead_of: int
    given: float = 0.0
    """When the slider was first drawn with it."""


def enter(page: str) -> None:
    """Call it on each run, before the page: takes over the values of the widgets from the page before.

    Streamlit gives a widget another identity on each page, and forgets a value that was set by the script, not by a person.
    """
    if st.session_state.get(_PAGE) == page:
        return
    st.session_state[_PAGE] = page
    for key in _KEPT:
        if key in st.session_state:
            st.session_state[key] = st.session_state[key]


def leave() -> None:
    """Call it on each run, after the page: takes from the address what is another page's own, as the way back may leave it."""
    if went_back():
        return
    own = _written.get(str(st.session_state.get(_PAGE)), set())
    for name in set().union(*_written.values()) - own - set(_SHARED):
        st.query_params.pop(name, None)


def address() -> dict[str, str]:
    """What a link to another page carries, so that it opens with the same settings: those that aren't the defaults."""
    state = st.session_state
    if _LAST_GOOD not in state:  # the first run: there are no widgets yet
        return {name: st.query_params[name] for name in _SHARED if name in st.query_params}
    found = {}
    if _shared(state.get("text") or "", state[_LAST_GOOD]):
        found["text"] = str(state["text"])
    if (place := selected_token()) is not None:
        found["token"] = str(place)
    for name, default in (("L", DEFAULT_SEGMENT_LENGTH), ("M", _default_memory())):
        if state.get(name, default) != default:
            found[name] = str(state[name])
    preset = state.get("preset")
    if preset in models.PRESETS and preset != models.DEFAULT_PRESET:
        found["preset"] = models.layers_label(preset)
    return found


def controls(height: int = 76) -> Settings:
    """Draws the strip, and returns what it says. Call it once on a page, where the strip shall stand.

    Args:
        height: of the text box, in pixels.
    """
    if _PAGE not in st.session_state:
        st.session_state[_PAGE] = None  # once: a script that has no menu goes on the second time
        again_through_app()
    _read_address()
    _keep_order()
    with st.container(key="txl-controls", horizontal=True, vertical_alignment="bottom", gap="medium"):
        typed = st.text_area("Text", key="text", height=height, persist_state="session", label_visibility="collapsed")
        with st.container(key="txl-sliders", horizontal=True, gap="medium"):
            L = st.slider(
                "Segment length L",
                *SEGMENT_LENGTHS,
                key="L",
                persist_state="session",
                help=text.prose("common", "help_L"),
            )
            M = st.slider(
                "Memory length M",
                *MEMORY_LENGTHS,
                key="M",
                persist_state="session",
                help=text.prose("common", "help_M"),
            )
        preset = st.segmented_control(
            "Layers",
            models.PRESETS,
            required=True,
            format_func=models.layers_label,
            key="preset",
            persist_state="session",
            help=text.prose("common", "help_preset"),
        )
    whole_characters.guard()
    preset = preset if preset in models.PRESETS else models.DEFAULT_PRESET
    L, M = _within(L, SEGMENT_LENGTHS), _within(M, MEMORY_LENGTHS)
    # Always there, empty or not: what stands below keeps its place, or the browser would show it twice until the run ends.
    with st.container(key="txl-notes"):
        _beyond_training(preset, L)
        checked = check(typed or "", models.checkpoint(preset, "xl"))
        usable = _usable(checked)
    _write_address(typed or "", usable)
    write("L", L, DEFAULT_SEGMENT_LENGTH)
    write("M", M, _default_memory())
    write("preset", models.layers_label(preset), models.layers_label(models.DEFAULT_PRESET))
    return Settings(preset, usable, L, M)


def read(name: str, options: Sequence[int], default: int) -> int:
    """A number from the address: the nearest of the ``options``, or the default where there is none."""
    _own(name)
    try:
        value = int(st.query_params.get(name, ""))
    except ValueError:
        return default
    return min(options, key=lambda option: abs(option - value))


def read_name(name: str, options: Sequence[str], default: str) -> str:
    """One of the ``options`` by its name in the address, or the default where there is none of them."""
    _own(name)
    asked = st.query_params.get(name, default)
    return asked if asked in options else default


def write(name: str, value: object, default: object) -> None:
    """Keeps a value in the address, where it isn't the default. A switch of pages may empty the address, so each run looks.

    Streamlit's own binding of widgets to the address isn't used: it loses a value that came with the address, and wasn't
    changed since, once the page is left.
    """
    _own(name)
    if went_back():
        return  # a new entry in the browser's history would bar the way back
    if value == default:
        if name in st.query_params:
            del st.query_params[name]
    elif st.query_params.get(name) != str(value):
        st.query_params[name] = str(value)


def went_back() -> bool:
    """Whether this run was asked for by the browser's buttons for back and forward: then the address leads."""
    context = get_script_run_ctx()
    return context is not None and context.is_history_navigation


def set_memory(value: object) -> None:
    """Sets the shared M from another handle than its slider, in its callback. What a browser says is kept within bounds."""
    if type(value) is not int:
        return
    M, before = _within(value, MEMORY_LENGTHS), st.session_state.get("M")
    if before != M:
        st.session_state[_ORDER] = _Order(M, int(before if before is not None else _default_memory()))
    st.session_state["M"] = M


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


def _keep_order() -> None:
    """A widget that moves before the browser has the M that was set here sends the M of before: that is nobody's wish."""
    order: _Order | None = st.session_state.get(_ORDER)
    if order is None:
        return
    now, M = time.monotonic(), st.session_state["M"]
    order.given = order.given or now
    if now - order.given > _ANSWER_WITHIN or M not in (order.value, order.instead_of):
        del st.session_state[_ORDER]
    else:
        st.session_state["M"] = order.value


def _own(name: str) -> None:
    page = st.session_state.get(_PAGE)
    if isinstance(page, str) and name not in _SHARED:
        _written.setdefault(page, set()).add(name)


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
    """Once a session, and on the way back: the text, the settings and the selected token from the address, or the defaults."""
    if "text" in st.session_state and not went_back():
        return
    typed = st.session_state.get("text") or ""
    if len(typed) <= _SHARED_CHARACTERS:  # no address has a longer one, so it stays
        st.session_state["text"] = st.query_params.get("text") or start_record.default_text()
    st.session_state["L"] = read("L", _every(SEGMENT_LENGTHS), DEFAULT_SEGMENT_LENGTH)
    st.session_state["M"] = read("M", _every(MEMORY_LENGTHS), _default_memory())
    named = {models.layers_label(preset): preset for preset in models.PRESETS}
    st.session_state["preset"] = named.get(st.query_params.get("preset", ""), models.DEFAULT_PRESET)
    token = st.query_params.get("token", "")
    st.session_state[_TOKEN] = int(token) if token.isascii() and token.isdigit() and len(token) < 6 else None


def _write_address(typed: str, usable: str) -> None:
    """Keeps the text, where it is short, and the selected token in the address."""
    if went_back():
        return
    if _shared(typed, usable):
        if st.query_params.get("text") != typed:
            st.query_params["text"] = typed
    elif "text" in st.query_params:
        del st.query_params["text"]
    place = selected_token()
    if place is not None and "token" not in st.query_params:  # a switch of pages empties the address
        st.query_params["token"] = str(place)


def _shared(typed: str, usable: str) -> bool:
    """Whether a text is one for the address."""
    return typed == usable and typed != start_record.default_text() and len(typed) <= _SHARED_CHARACTERS


def _beyond_training(preset: str, L: int) -> None:
    """Says so where segments are longer than those that the vanilla model was trained with."""
    trained = models.checkpoint(preset, "vanilla").config.segment_length
    if trained < L:
        st.caption(text.prose("common", "beyond_training").format(L=L, trained=trained))


def _default_memory() -> int:
    """M as the default model's card chose it."""
    return _within(models.checkpoint(models.DEFAULT_PRESET, "xl").config.mem_len, MEMORY_LENGTHS)


def _every(bounds: tuple[int, int]) -> range:
    return range(bounds[0], bounds[1] + 1)


def _within(value: int, bounds: tuple[int, int]) -> int:
    """The widget's bounds are the browser's; here they are kept."""
    return min(max(int(value), bounds[0]), bounds[1])
