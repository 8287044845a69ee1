"""The echo test in pictures: accuracy by input position with its cliff, and accuracy over training."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import altair as alt
import numpy as np
import pandas as pd
from numpy.typing import NDArray

from txlviz.figures import echo_layers
from txlviz.figures.echo_layers import NAMES, Levels

_DASHES = [[1, 0], [8, 3], [4, 2], [2, 2], [8, 3, 2, 3]]

Shares = NDArray[np.float64]


@dataclass(frozen=True)
class Marks:
    """What is marked along the positions. Each is a position from 0, or None where there is nothing to mark."""

    cliff: int | None = None
    """The first position from which one look reaches the source."""
    two_looks: int | None = None
    """The first position from which two looks reach it, where one doesn't."""
    pointer: int | None = None
    """Where the viewer points."""
    pointer_label: str = ""


def by_position(
    curves: Mapping[str, Shares], levels: Levels, marks: Marks, colours: Mapping[str, str], ink: str, height: int = 300
) -> Any:
    """Accuracy at each input position.

    Args:
        curves: ``xl`` and ``vanilla`` to (L) shares of right answers; either may be missing, or both.
        colours: of ``xl`` and ``vanilla``.
        ink: the colour of lines that belong to no model.
    """
    length = max([len(shares) for shares in curves.values()], default=32)
    axes = echo_layers.axes_of("position", "Input position p in the segment", -0.5, length - 0.5)
    layers: list[Any] = []
    end = length if marks.cliff is None else marks.cliff
    if marks.two_looks is not None and marks.two_looks < end:
        layers += echo_layers.band(marks.two_looks - 0.5, end - 0.5, "two looks would reach", axes, colours["xl"], ink)
    layers += echo_layers.level_lines(levels, axes, ink)
    if marks.cliff is not None:
        layers += echo_layers.upright(marks.cliff - 0.5, f"one look reaches: p ≥ {marks.cliff}", axes, ink, [6, 4], height=0.55)
    if marks.pointer is not None:
        layers += echo_layers.upright(marks.pointer - 0.5, marks.pointer_label, axes, ink, [2, 3], height=0.32)
    rows = long_form(curves)
    if len(rows):
        layers += echo_layers.lines(rows, axes, colours)
    return alt.layer(*layers).properties(height=height)


def long_form(curves: Mapping[str, Shares]) -> pd.DataFrame:
    """A row a model and position: ``model``, ``position``, ``accuracy``."""
    parts = [
        pd.DataFrame({"model": NAMES[kind], "position": np.arange(len(shares)), "accuracy": shares})
        for kind, shares in curves.items()
    ]
    return pd.concat(parts, ignore_index=True) if parts else pd.DataFrame(columns=["model", "position", "accuracy"])


def over_steps(
    curves: Mapping[str, Sequence[float]], every: int, steps: int, levels: Levels, colours: Mapping[str, str], ink: str
) -> Any:
    """Accuracy in training, all positions together, each point a mean over ``every`` steps; the axis ends at ``steps``."""
    parts = [
        pd.DataFrame({"model": NAMES[kind], "step": (1 + np.arange(len(values))) * every, "accuracy": values})
        for kind, values in curves.items()
    ]
    rows = pd.concat(parts, ignore_index=True)
    axes = echo_layers.axes_of("step", "Training step", 0, steps)
    return alt.layer(*echo_layers.level_lines(levels, axes, ink), *echo_layers.lines(rows, axes, colours)).properties(
        height=300
    )


def relay(runs: Sequence[Mapping[str, Any]], levels: Levels, colours: Mapping[str, str], ink: str) -> Any:
    """Accuracy of the relay runs over the segments that each stream has read, a line a run.

    Args:
        runs: each with ``label`` (what was changed), ``seed``, ``segments_a_point``, and ``curve`` (point).
        colours: a colour a label, in the order in which the legend has them.
    """
    parts = [
        pd.DataFrame(
            {
                "label": run["label"],
                "run": f"{run['label']}, seed {run['seed']}",
                "segments": (1 + np.arange(len(run["curve"]))) * run["segments_a_point"],
                "accuracy": run["curve"],
            }
        )
        for run in runs
    ]
    rows = pd.concat(parts, ignore_index=True)
    furthest = float(rows["segments"].max())
    axes = echo_layers.axes_of("segments", "Segments read by each stream", 0, furthest)
    scale = alt.Scale(domain=list(colours), range=list(colours.values()))
    dashes = alt.Scale(domain=list(colours), range=_DASHES[: len(colours)])
    legend = alt.Legend(title=None, orient="top", columns=1, labelLimit=400, symbolSize=300)
    lines = alt.Chart(rows).mark_line(strokeWidth=2)
    encoded = lines.encode(
        x=axes.x,
        y=axes.y,
        color=alt.Color("label:N", scale=scale, legend=legend),
        strokeDash=alt.StrokeDash("label:N", scale=dashes, legend=legend),
        detail="run:N",
        tooltip=[
            alt.Tooltip("run:N", title="Run"),
            alt.Tooltip("segments:Q", title="Segments", format=","),
            alt.Tooltip("accuracy:Q", title="Right", format=".3f"),
        ],
    )
    return alt.layer(*echo_layers.level_lines(levels, axes, ink), encoded).properties(height=440)
