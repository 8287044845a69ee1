"""Loss and the cut: the difference along a text, one token at every position, and the mean of many tokens."""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import plotly.graph_objects as go

Losses = npt.NDArray[np.floating[Any]]

XL, VANILLA, NO_MEMORY = "Transformer-XL", "Vanilla", "Transformer-XL, M = 0"
POSITION = "Position in the segment (0 = right after a cut)"
GAP = "Vanilla minus Transformer-XL (nats)"
_SYMBOLS = {XL: "circle", VANILLA: "square", NO_MEMORY: "triangle-up"}
_FEW = 16  # positions that still have a point each
_DASHES = {XL: "solid", VANILLA: "solid", NO_MEMORY: "dash"}


def difference_facts(tokens: Sequence[str], xl: Losses, vanilla: Losses, starts: Sequence[int]) -> pd.DataFrame:
    """A row each predicted token.

    Args:
        tokens: the inputs, the newline first.
        xl: (token,) nats; token t stands at place t + 1.
        vanilla: the same for the other model.
        starts: places where segments start.
    """
    place = np.arange(1, len(tokens))
    reader = place - 1  # the place that predicts the token
    segment = np.searchsorted(np.asarray(starts), reader, side="right")
    return pd.DataFrame(
        {
            "Place": place,
            "Token": list(tokens[1:]),
            "Segment it is read from": segment,
            "Position in it": reader - np.asarray(starts)[segment - 1],
            "Transformer-XL (nats)": xl,
            "Vanilla (nats)": vanilla,
            GAP: vanilla - xl,
        }
    )


def difference(facts: pd.DataFrame, starts: Sequence[int], colours: Mapping[str, str], height: int = 300) -> go.Figure:
    """Bars of ``difference_facts``: up where the vanilla model is more surprised. ``colours`` has xl, vanilla and line.

    It is drawn anew at each place of a cut that is dragged, so all bars of a colour are one outline, and all cuts one line.
    """
    gaps, places = facts[GAP].to_numpy(), facts["Place"].to_numpy()
    low, high = (1.08 * float(end) for end in (min(0, gaps.min()), max(0.5, gaps.max())))
    figure = go.Figure()
    # A cut at place s lies before the token that stands there; the first prediction made after it is the token at s + 1.
    cuts = np.array([start + 0.5 for start in starts[1:]])
    for name, kind, part in (("Transformer-XL better", "xl", gaps >= 0), ("Vanilla better", "vanilla", gaps < 0)):
        x, y = _outline(places[part], gaps[part])
        bars = go.Scatter(x=x, y=y, name=name, mode="lines", fill="toself", fillcolor=colours[kind], hoverinfo="skip")
        figure.add_trace(bars.update(line={"color": colours[kind], "width": 0.5}))
    if len(cuts):
        x, y = _gapped(cuts, cuts), _gapped(np.full(len(cuts), low), np.full(len(cuts), high))
        line = {"color": colours["line"], "width": 1.5, "dash": "dash"}
        figure.add_trace(go.Scatter(x=x, y=y, name="Cut (SG)", mode="lines", line=line, hoverinfo="skip"))
    hover = [
        f"{html.escape(token)} at {place}, position {position}<br>vanilla {vanilla:.2f}, XL {xl:.2f}: {gap:+.2f} nats"
        for place, token, _, position, xl, vanilla, gap in facts.itertuples(index=False, name=None)
    ]
    unseen = go.Scatter(x=places, y=gaps, mode="lines", line={"width": 0}, hovertext=hover, showlegend=False)
    figure.add_trace(unseen.update(hovertemplate="%{hovertext}<extra></extra>"))
    figure.update_layout(hovermode="x").update_yaxes(range=(low, high))
    return _laid_out(figure, "Place in the text", "Difference (nats)", height, (0, len(facts) + 1))


def _outline(places: Losses, heights: Losses, width: float = 0.8) -> tuple[list[float | None], list[float | None]]:
    """All bars as one path: up, across, down, and a gap."""
    x, y = np.full((len(places), 5), np.nan), np.full((len(places), 5), np.nan)
    x[:, 0:2], x[:, 2:4] = (places - width / 2)[:, None], (places + width / 2)[:, None]
    y[:, [0, 3]], y[:, 1:3] = 0, heights[:, None]
    return _with_gaps(x), _with_gaps(y)


def _gapped(first: Losses, second: Losses) -> list[float | None]:
    """Pairs as one path, with a gap after each."""
    return _with_gaps(np.stack([first, second, np.full(len(first), np.nan)], axis=1))


def _with_gaps(values: npt.NDArray[np.floating[Any]]) -> list[float | None]:
    return [None if np.isnan(value) else round(float(value), 4) for value in values.ravel()]


def one_token_facts(positions: Sequence[int], offsets: Sequence[int], xl: Losses, vanilla: Losses) -> pd.DataFrame:
    """One token's losses with the cut at each of ``offsets``, which puts its prediction at ``positions`` of a segment."""
    return pd.DataFrame(
        {
            "Cut": list(offsets),
            "Position in the segment": list(positions),
            "Transformer-XL (nats)": xl,
            "Vanilla (nats)": vanilla,
        }
    ).sort_values(["Position in the segment", "Cut"], ignore_index=True)


def one_token(facts: pd.DataFrame, cut: int, colours: Mapping[str, str], height: int = 300) -> go.Figure:
    """``one_token_facts`` as two lines, with points where there are few; the cut that is set is a large point of each.

    Cuts before the token's own start may share a position: they share its value too.
    """
    figure = go.Figure()
    here = facts["Cut"] == cut
    x = facts["Position in the segment"]
    mode = "lines+markers" if x.nunique() <= _FEW else "lines"
    for name, kind in ((VANILLA, "vanilla"), (XL, "xl")):
        hover = f"{name}: %{{y:.2f}} nats<br>position %{{x}}, cut %{{customdata}}<extra></extra>"
        y = facts[f"{name} (nats)"]
        marker = {"color": colours[kind], "symbol": _SYMBOLS[name]}
        drawn = go.Scatter(
            x=x, y=y, name=name, mode=mode, line={"color": colours[kind], "width": 2}, marker={**marker, "size": 6}
        )
        set_now = go.Scatter(x=x[here], y=y[here], name=name, mode="markers", marker={**marker, "size": 14}, showlegend=False)
        figure.add_trace(drawn.update(customdata=facts["Cut"], hovertemplate=hover))
        figure.add_trace(set_now.update(customdata=facts["Cut"][here], hovertemplate=hover))
    if here.any():
        figure.update_layout(shapes=[upright(int(x[here].iloc[0]), colours["line"])])
    figure.update_yaxes(rangemode="tozero")
    return _laid_out(figure, POSITION, "Surprise (nats)", height, (-0.8, float(x.max()) + 0.8))


def recorded_facts(curves: Mapping[str, Mapping[str, Sequence[float]]], tokens: int) -> pd.DataFrame:
    """Recorded curves (``mean`` and ``standard_error`` by position), a row each model and position, with n = ``tokens``."""
    parts = [
        pd.DataFrame(
            {
                "Model": name,
                "Position in the segment": range(len(curve["mean"])),
                "Mean surprise (nats)": curve["mean"],
                "Standard error (nats)": curve["standard_error"],
                "Tokens": tokens,
            }
        )
        for name, curve in curves.items()
    ]
    return pd.concat(parts, ignore_index=True)


def recorded(facts: pd.DataFrame, colours: Mapping[str, str], height: int = 360) -> go.Figure:
    """``recorded_facts`` as lines, with a bar of one standard error at each point."""
    figure = go.Figure()
    for name, part in facts.groupby("Model", sort=False):
        colour = colours["vanilla" if name == VANILLA else "xl"]
        hover = f"{name}: %{{y:.3f}} ± %{{error_y.array:.3f}} nats<br>position %{{x}}, %{{customdata:,}} tokens<extra></extra>"
        line = go.Scatter(
            x=part["Position in the segment"],
            y=part["Mean surprise (nats)"],
            error_y={"array": part["Standard error (nats)"], "thickness": 1, "width": 0},
            customdata=part["Tokens"],
            name=name,
            mode="lines+markers",
            line={"color": colour, "width": 2, "dash": _DASHES[name]},
            marker={"size": 5, "symbol": _SYMBOLS[name]},
        )
        figure.add_trace(line.update(hovertemplate=hover))
    last = int(facts["Position in the segment"].max())
    return _laid_out(figure, POSITION, "Mean surprise (nats a token)", height, (-0.8, last + 0.8))


def upright(x: float, colour: str) -> dict[str, Any]:
    """A dashed line over the whole height. By hand: Plotly's ``add_vline`` takes 0.1 s for a few."""
    return {
        "type": "line",
        "x0": x,
        "x1": x,
        "yref": "paper",
        "y0": 0,
        "y1": 1,
        "line": {"width": 1.5, "dash": "dash", "color": colour},
    }


def _laid_out(figure: go.Figure, x: str, y: str, height: int, ends: tuple[float, float]) -> go.Figure:
    # Plotly measures labels again and again to find margins of its own: most of the time that a small chart takes.
    figure.update_xaxes(title=x, range=ends, automargin=False, title_standoff=8)
    figure.update_yaxes(title=y, automargin=False, title_standoff=8)
    legend = {"orientation": "h", "x": 0, "y": 1.02, "yanchor": "bottom"}
    figure.update_layout(height=height, showlegend=True, legend=legend, margin={"l": 56, "r": 10, "t": 40, "b": 48})
    return figure
