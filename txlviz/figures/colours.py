"""Colour scales, safe for colour-blind eyes: diverging for signed values, cividis for weights."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

Table = npt.NDArray[np.uint8]

CIVIDIS = ("#00224e", "#123570", "#3b496c", "#575d6d", "#707173", "#8a8678", "#a59c74", "#c3b369", "#e1cc55", "#fee838")
# Zero takes the page's own ground in each theme, so that what is loud on screen is what is large: blue below, red above.
DIVERGING_LIGHT = (
    *("#053061", "#2166ac", "#4393c3", "#92c5de", "#d1e5f0"),
    "#f7f7f7",
    *("#fddbc7", "#f4a582", "#d6604d", "#b2182b", "#67001f"),
)
DIVERGING_DARK = (
    *("#b5d9ff", "#6fb3f5", "#3d85cf", "#265a92", "#1d3653"),
    "#191c22",
    *("#4d2721", "#8c3b2d", "#cf5a40", "#f58b70", "#ffcdbb"),
)


def table(stops: Sequence[str], size: int = 256) -> Table:
    """(size, 3) colours, evenly spaced over ``stops`` (``#rrggbb``), the first to the last."""
    rgb = np.array([[int(stop[at : at + 2], 16) for at in (1, 3, 5)] for stop in stops], dtype=np.float64)
    places = np.linspace(0, len(stops) - 1, size)
    columns = [np.interp(places, np.arange(len(stops)), rgb[:, channel]) for channel in range(3)]
    return np.rint(np.stack(columns, axis=-1)).astype(np.uint8)
