"""A chart with its title, and one small menu: the same facts as a table, and the picture and its numbers as files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st
from altair import TopLevelMixin
from plotly.graph_objects import Figure

from txlviz.ui import front

_FRONT = Path(__file__).parent / "front"
_PLOTLY = {"displayModeBar": False, "scrollZoom": False}  # the menu has the downloads; a wheel over a chart scrolls the page

_mount = st.components.v2.component(
    "txlviz_chart",
    html=front.read(_FRONT / "chart.html"),
    css=front.read(front.FACTS_CSS, _FRONT / "chart.css"),
    js=front.script([front.FACTS_JS, _FRONT / "chart.js"]),
)


def chart(figure: TopLevelMixin | Figure, facts: pd.DataFrame, *, title: str, name: str, alt: str, key: str) -> None:
    """Draws a chart at the width of its container.

    Args:
        figure: from ``txlviz.figures``; without a title of its own.
        facts: the numbers of the chart, a row each; its column heads name them with their units.
        title: a plain sentence that says what to see.
        name: of the files that can be downloaded.
        alt: what the chart shows, for screen readers.
        key: one of a kind on the page.
    """
    target = f"txl-chart-{key}"
    with st.container(key=target, gap="small"):
        rows = [[_plain(value) for value in row] for row in facts.itertuples(index=False, name=None)]
        data = {"title": title, "name": name, "target": target, "heads": [str(head) for head in facts.columns], "rows": rows}
        _mount(key=f"{key}-head", data=data)
        if isinstance(figure, Figure):
            st.plotly_chart(figure, key=f"{key}-figure", config=_PLOTLY, alt=alt)
        else:
            st.altair_chart(_as_svg(figure), key=f"{key}-figure", alt=alt)


def _as_svg(figure: Any) -> Any:
    """The chart without Vega's own menu, and as SVG whatever its size, so that it can be kept as one."""
    return figure.properties(usermeta={"embedOptions": {"actions": False, "renderer": "svg"}})


def _plain(value: Any) -> Any:
    """A cell as JSON can hold it; what isn't a number there (not measured, infinite) becomes an empty one."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float):
        return float(f"{value:.6g}") if np.isfinite(value) else None
    return value
