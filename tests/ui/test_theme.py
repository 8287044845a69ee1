"""Colours keep their meaning and can be told from the background in both themes."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from txlviz.ui import theme

CONFIG = tomllib.loads((Path(__file__).parents[2] / ".streamlit/config.toml").read_text())["theme"]


def luminance(colour: str) -> float:
    """WCAG 2, relative luminance."""
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_models_colours_pass_as_letters(scheme: theme.Scheme) -> None:
    paper = CONFIG[scheme]["backgroundColor"]
    assert all(contrast(colour, paper) >= 4.5 for colour in theme.model_colours(scheme).values())
    assert contrast(CONFIG[scheme]["textColor"], CONFIG[scheme]["secondaryBackgroundColor"]) >= 7


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_terms_colours_differ_from_the_background_and_from_each_other(scheme: theme.Scheme) -> None:
    colours = theme.term_colours(scheme)
    assert sorted(colours) == ["a", "b", "c", "d"]
    assert len(set(colours.values())) == 4
    assert all(contrast(colour, CONFIG[scheme]["backgroundColor"]) >= 2 for colour in colours.values())


def test_the_light_terms_are_the_designs() -> None:
    assert theme.term_colours("light") == {"a": "#0072B2", "b": "#E69F00", "c": "#009E73", "d": "#CC79A7"}


def test_the_style_sheet_names_every_colour_in_both_themes() -> None:
    css = theme.css()
    for term in "abcd":
        assert f"--txl-term-{term}:light-dark({theme.TERMS['light'][term]},{theme.TERMS['dark'][term]})" in css
    assert "--txl-xl:light-dark(#332288," in css
