"""The Landscape page without a browser: opened, and what stands on it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from streamlit.testing.v1 import AppTest

from tests.pages.opening import component, open_page
from txlviz.figures.payload import unpack
from txlviz.models.attentions import Settings

ROOT = Path(__file__).parents[2]
CHECKPOINTS = ROOT / "checkpoints"
TEXT = "The river rises in the hills and flows past the old mill, which Thomas Calder built. The river is wide."
PRESET, N = "wikitext2-2l", 2


def opened(**address: object) -> AppTest:
    return open_page("pages/landscape.py", {"text": TEXT, "L": 8, "M": 8, "preset": "2 layers", **address})


def patterns(at: AppTest) -> list[tuple[dict[str, Any], dict[str, np.ndarray]]]:
    """The two patterns, then the matrix of positions: (header, arrays) each."""
    assert not at.exception
    found = [one.proto for one in at.get("bidi_component") if one.proto.component_name == "txlviz_landscape_pattern"]
    return [unpack(proto.bytes) for proto in found]


def charts(at: AppTest) -> dict[str, dict[str, Any]]:
    return {one["name"]: one for one in component(at, "chart")}


def rows(chart: Mapping[str, Any]) -> list[dict[str, Any]]:
    return [dict(zip(chart["heads"], row, strict=True)) for row in chart["rows"]]


def cards(at: AppTest) -> dict[str, Any]:
    (found,) = component(at, "landscape_picker")
    return found


def facts(at: AppTest) -> list[dict[str, str]]:
    """Those beside the two patterns, then those of the position system."""
    return [dict(one["facts"]) for one in component(at, "landscape_facts")]


def said(at: AppTest) -> str:
    return "\n".join(one.value for kind in (at.markdown, at.caption, at.info, at.warning) for one in kind)


def settings(**sizes: int) -> Settings:
    return Settings(segment_length=8, memory_length=8, **sizes)
