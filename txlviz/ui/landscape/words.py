"""The page's words, the names of the systems, and their colours: one each, in all figures of the page."""

from __future__ import annotations

from txlviz.figures.landscape_cost import Look
from txlviz.models.system_config import ENCODINGS as ENCODINGS
from txlviz.ui import text, theme

PAGE = "landscape"
_WORDS = text.Words(PAGE)
prose, label, labels = _WORDS.prose, _WORDS.label, _WORDS.labels

ATTENTIONS = ("full", "segments", "sliding", "xl", "longformer", "longformer-causal", "bigbird", "linformer")

# Light and dark. The models' own hues where a system is one of the models; the terms' hues nowhere.
_OTHERS = {
    "longformer": ("#8A2457", "#DE7FA6"),
    "longformer-causal": ("#8A2457", "#DE7FA6"),
    "bigbird": ("#BC4A12", "#F19163"),
    "linformer": ("#77761A", "#C9C765"),
    "learned": ("#7A4B2A", "#D0A079"),
    "shaw": ("#8E3FA0", "#CE8FDE"),
    "rotary": ("#1B7A3D", "#6CC58C"),
    "alibi": ("#0F7285", "#62C3D6"),
}
_MODELS = {"full": "vanilla", "segments": "vanilla", "sliding": "vanilla", "sinusoids": "vanilla", "xl": "xl"}


def both_colours(system: str) -> tuple[str, str]:
    """A system's colour in the light and in the dark theme."""
    if system in _OTHERS:
        return _OTHERS[system]
    if system in _MODELS:
        return theme.MODELS["light"][_MODELS[system]], theme.MODELS["dark"][_MODELS[system]]
    return "#222222", "#e8e6e3"


def colour(system: str) -> str:
    """A system's colour in the viewer's theme."""
    return both_colours(system)[theme.scheme() == "dark"]


# Shapes and dashes tell apart what has one hue, and help eyes that don't tell hues.
_SYMBOLS = {
    "full": "square",
    "segments": "triangle-up",
    "sliding": "diamond",
    "xl": "circle",
    "longformer": "cross",
    "longformer-causal": "x",
    "bigbird": "hexagon",
    "linformer": "pentagon",
    "none": "star-square",
    "sinusoids": "square",
    "learned": "diamond",
    "shaw": "triangle-down",
    "rotary": "hexagram",
    "alibi": "bowtie",
    "xl-recurrent": "star",
    "shaw-recurrent": "star-triangle-down",
}
_DASHES = {"full": "dash", "sliding": "dot", "longformer": "dash"}


def look(system: str) -> Look:
    """A system's colour, shape and dash; ``-recurrent`` after an encoding's name is its model with a memory."""
    return Look(colour(system.removesuffix("-recurrent")), _SYMBOLS[system], _DASHES.get(system, "solid"))


def name(system: str) -> str:
    """How an attention system is called."""
    return label(f"name_{system}")


def encoding(system: str) -> str:
    """How a position system is called."""
    return label(f"encoding_{system}")
