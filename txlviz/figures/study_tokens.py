"""Token by token: how the two models' losses differ, and what memory is worth to classes of tokens."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd
import plotly.graph_objects as go

SHARE = "Share of tokens (%)"
CLASS, MEMORY, GAIN, ERROR = "Last seen, tokens back", "M", "Gain from memory (nats)", "Standard error (nats)"
READINGS = {
    "vanilla": "Vanilla, segments",
    "xl_0": "Transformer-XL, M = 0",
    "xl_64": "Transformer-XL, M = 64",
    "xl_256": "Transformer-XL, M = 256",
}


def gap_facts(gap: Mapping[str, Any]) -> pd.DataFrame:
    """A row a bin of ``difference``; the first and the last hold what lies beyond."""
    edges, counts = gap["edges"], gap["counts"]
    table = pd.DataFrame({"From (nats)": edges[:-1], "To (nats)": edges[1:], "Tokens": counts})
    table[SHARE] = (100 * table["Tokens"] / sum(counts)).round(4)
    table["Better"] = ["Transformer-XL" if low >= 0 else "Vanilla" for low in edges[:-1]]
    return table


def gap(facts: pd.DataFrame, colours: Mapping[str, str], height: int = 340) -> go.Figure:
    """``gap_facts`` as bars, in the colour of the model that is better."""
    figure = go.Figure()
    last = len(facts) - 1
    for name, kind in (("Vanilla", "vanilla"), ("Transformer-XL", "xl")):
        part = facts[facts["Better"] == name]
        middle = (part["From (nats)"] + part["To (nats)"]) / 2
        hover = []
        for n, low, high, count, share, _ in part.itertuples(name=None):
            reach = f"below {high:g}" if n == 0 else f"{low:g} and more" if n == last else f"{low:g} to {high:g}"
            hover.append(f"{reach} nats<br>{count:,} tokens, {share:.1f} %")
        width = float((part["To (nats)"] - part["From (nats)"]).iloc[0])
        bars = go.Bar(x=middle, y=part[SHARE], name=f"{name} better", width=0.92 * width, hovertext=hover)
        figure.add_trace(
            bars.update(marker={"color": colours[kind], "line": {"width": 0}}, hovertemplate="%{hovertext}<extra></extra>")
        )
    ends = float(facts["From (nats)"].iloc[0]), float(facts["To (nats)"].iloc[-1])
    ticks = list(range(int(ends[0]), int(ends[1]) + 1))
    labels = [f"≤ {ticks[0]}".replace("-", "−"), *[str(tick).replace("-", "−") for tick in ticks[1:-1]], f"≥ {ticks[-1]}"]
    figure.update_xaxes(title="Vanilla's loss minus the Transformer-XL's (nats)", range=ends, tickvals=ticks, ticktext=labels)
    figure.update_yaxes(title=SHARE, rangemode="tozero")
    figure.update_layout(barmode="overlay")
    return _laid_out(figure, height)


def gain_facts(classes: Sequence[Mapping[str, Any]]) -> pd.DataFrame:
    """A row each class and M, with the mean losses."""
    rows = []
    for one in classes:
        for M, gain in one["gain"].items():
            losses = {f"{READINGS[name]} (nats)": one["loss"].get(name) for name in ("vanilla", "xl_0", f"xl_{M}")}
            with_memory = losses.pop(f"{READINGS[f'xl_{M}']} (nats)")
            row = {
                CLASS: one["name"],
                "Tokens": one["tokens"],
                MEMORY: int(M),
                GAIN: gain["mean"],
                ERROR: gain["standard_error"],
            }
            rows.append({**row, **losses, "Transformer-XL with this M (nats)": with_memory})
    return pd.DataFrame(rows)


def gains(facts: pd.DataFrame, colours: Mapping[str, str], height: int = 430) -> go.Figure:
    """``gain_facts`` as bars, those of a shorter memory paler, with two standard errors. The nearest class is on top."""
    figure = go.Figure()
    memories = sorted(facts[MEMORY].unique())
    for M in reversed(memories):  # the first trace of a group stands lowest
        part = facts[facts[MEMORY] == M]
        hover = [
            f"last seen: {name}<br>M = {M}: {gain:+.3f} ± {error:.3f} nats<br>{tokens:,} tokens"
            for name, tokens, gain, error in part[[CLASS, "Tokens", GAIN, ERROR]].itertuples(index=False, name=None)
        ]
        bars = go.Bar(y=part[CLASS], x=part[GAIN], orientation="h", name=f"M = {M} instead of 0", hovertext=hover)
        bars.update(error_x={"array": 2 * part[ERROR], "thickness": 1.5, "width": 4, "color": colours["line"]})
        colour = colours["xl"] if memories[-1] == M else _pale(colours["xl"])
        figure.add_trace(bars.update(marker={"color": colour}, hovertemplate="%{hovertext}<extra></extra>"))
    names = list(dict.fromkeys(facts[CLASS]))
    figure.update_yaxes(title=CLASS, categoryorder="array", categoryarray=names[::-1], ticksuffix=" ", automargin=True)
    figure.update_xaxes(title=GAIN)
    return _laid_out(figure, height).update_layout(barmode="group", bargap=0.25, legend_traceorder="reversed")


def _pale(colour: str) -> str:
    """A colour (#rrggbb) that fades towards the background: a shorter memory. Not by opacity, which legends leave out."""
    red, green, blue = (int(colour[at : at + 2], 16) for at in (1, 3, 5))
    return f"rgba({red},{green},{blue},0.45)"


def _laid_out(figure: go.Figure, height: int) -> go.Figure:
    legend = {"orientation": "h", "x": 0, "y": 1.02, "yanchor": "bottom"}
    return figure.update_layout(height=height, legend=legend, margin={"l": 10, "r": 10, "t": 20, "b": 10}, hovermode="closest")
