"""One meaning, one colour, on every page: two tuned sets of the same hues, and how components get them.

Two ways to use them. In CSS, ``var(--txl-term-a)`` and its like: ``apply`` defines them once for the app, they reach into a
component's shadow root, and follow the viewer's theme by themselves. In Python, ``term_colours()`` for figures that are
drawn on the server; there the theme is what the browser last told.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Literal

import streamlit as st

Scheme = Literal["light", "dark"]

ICON = Path(__file__).with_name("icon.svg")

# Fills and underlines. As letters three of the terms' colours fail WCAG AA on white, so text keeps the text colour.
TERMS: dict[Scheme, dict[str, str]] = {
    "light": {"a": "#0072B2", "b": "#E69F00", "c": "#009E73", "d": "#CC79A7"},
    "dark": {"a": "#4BA6DC", "b": "#F0B545", "c": "#35BD92", "d": "#DE9BC1"},
}
MODELS: dict[Scheme, dict[str, str]] = {
    "light": {"xl": "#332288", "vanilla": "#6B6B6B"},
    "dark": {"xl": "#A79BF2", "vanilla": "#ABABAB"},
}


def scheme() -> Scheme:
    """The viewer's theme, as far as the server knows it."""
    return "dark" if st.context.theme.type == "dark" else "light"


def term_colours(of: Scheme | None = None) -> dict[str, str]:
    """The colours of the terms a, b, c and d."""
    return TERMS[of or scheme()]


def model_colours(of: Scheme | None = None) -> dict[str, str]:
    """The colours of ``xl`` and ``vanilla``."""
    return MODELS[of or scheme()]


def ink() -> str:
    """The colour of text, and of what belongs to no model, in the viewer's theme."""
    return str(st.get_option(f"theme.{scheme()}.textColor"))


def figure_colours() -> dict[str, str]:
    """``xl`` and ``vanilla``, and ``line`` for axes, rules and what belongs to no model."""
    return {**model_colours(), "line": ink()}


def apply() -> None:
    """Puts the colours and the few rules of layout that Streamlit has no setting for into the page."""
    st.html(f"<style>{css()}</style>")


def css() -> str:
    """The style sheet of the app."""
    names = {f"--txl-term-{term}": (TERMS["light"][term], TERMS["dark"][term]) for term in "abcd"}
    names |= {f"--txl-{model}": (MODELS["light"][model], MODELS["dark"][model]) for model in ("xl", "vanilla")}
    # light-dark() follows the color-scheme that Streamlit sets on the app; where it is used, not here, decides.
    colours = "".join(f"{name}:light-dark({light},{dark});" for name, (light, dark) in names.items())
    return f":root{{{colours}}}\n{_layout()}"


@cache
def _layout() -> str:
    return Path(__file__).with_name("app.css").read_text(encoding="utf-8")
