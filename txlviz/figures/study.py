"""The study's scores as bars with the viewer's guess, and its loss curves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pandas as pd
import plotly.graph_objects as go

XL, VANILLA, BEST = "Transformer-XL", "Vanilla, segments", "Vanilla, stride 1"
VALID, TRAIN = "validation", "training"
MODEL, PART = "Model", "Loss on"
TOKENS, SECONDS = "Tokens read (millions)", "Seconds of one thread (steps × time of a step)"


@dataclass(frozen=True)
class Guess:
    """What the viewer says before the answer is shown."""

    score: float
    """The score that the guess comes to."""
    label: str


def bars(
    scores: Mapping[str, float | None], guess: Guess | None, quantity: str, colours: Mapping[str, str], height: int = 250
) -> go.Figure:
    """Scores as bars from zero; one that is None isn't shown yet, and the guess stands in its place as an empty bar.

    Args:
        scores: by name, XL among them; top to bottom.
        quantity: what the axis says, with its unit.
        colours: ``xl``, ``vanilla``, ``line`` and ``paper``, which is read on the bars.
    """
    figure = go.Figure()
    names = list(scores)
    for name, score in scores.items():
        if score is None:
            continue
        colour = colours["xl" if name == XL else "vanilla"]
        bar = go.Bar(y=[name], x=[score], orientation="h", showlegend=False)
        bar.update(marker={"color": colour, "line": {"width": 0}})
        bar.update(text=[f"<b>{score:#.4g}</b>"], textposition="inside", insidetextanchor="start")
        bar.update(insidetextfont={"color": colours["paper"], "size": 16})
        figure.add_trace(bar.update(width=0.6, hovertemplate=f"{name}: %{{x:.5g}}<extra></extra>"))
    if guess is not None:
        edge = {"color": "rgba(0,0,0,0)", "line": {"width": 2, "color": colours["line"]}}
        empty = go.Bar(y=[XL], x=[guess.score], orientation="h", width=0.74, marker=edge, name=guess.label, showlegend=True)
        figure.add_trace(empty.update(hovertemplate=f"{guess.label}: %{{x:.4g}}<extra></extra>"))
    longest = max([score for score in scores.values() if score is not None] + ([guess.score] if guess else []))
    figure.update_xaxes(title=quantity, range=(0, 1.08 * longest))
    figure.update_yaxes(categoryorder="array", categoryarray=names[::-1], ticksuffix=" ", tickfont={"size": 14})
    return _laid_out(figure, height).update_layout(barmode="overlay")


def curve_facts(
    curves: Mapping[str, Mapping[str, Sequence[float | None]]], every: int, seconds: Mapping[str, float]
) -> pd.DataFrame:
    """A row each point: the validation losses of the cards, and the training losses averaged over ``every`` entries.

    Args:
        curves: by kind, with ``step``, ``tokens``, ``loss`` and ``valid_loss`` as cards have them.
        seconds: of one step, by kind; empty where they weren't measured.
    """
    rows = []
    for kind, name in (("xl", XL), ("vanilla", VANILLA)):
        curve = pd.DataFrame({key: curves[kind][key] for key in ("step", "tokens", "loss", "valid_loss")})
        groups = curve.groupby(curve.index // every)
        means = pd.DataFrame({"step": groups["step"].last(), "tokens": groups["tokens"].last(), "value": groups["loss"].mean()})
        valid = curve.dropna(subset=["valid_loss"]).rename(columns={"valid_loss": "value"})[["step", "tokens", "value"]]
        for part, points in ((VALID, valid), (TRAIN, means)):
            rows.append(points.assign(**{MODEL: name, PART: part, "seconds": points["step"] * seconds.get(kind, float("nan"))}))
    table = pd.concat(rows, ignore_index=True)
    return pd.DataFrame(
        {
            MODEL: table[MODEL],
            PART: table[PART],
            "Step": table["step"].astype(int),
            TOKENS: table["tokens"] / 1e6,
            SECONDS: table["seconds"],
            "Loss (nats a token)": table["value"].round(5),
        }
    )


def curves(facts: pd.DataFrame, by: str, target: float, colours: Mapping[str, str], label: str, height: int = 380) -> go.Figure:
    """``curve_facts`` against one of its columns, and a line at ``target``: validation strong, training thin and dotted."""
    figure = go.Figure()
    unit = "million tokens" if by == TOKENS else "seconds"
    for (name, part), points in facts.groupby([MODEL, PART], sort=False):
        strong = part == VALID
        kind = "xl" if name == XL else "vanilla"
        hover = f"{name}, {part}: %{{y:.3f}} nats<br>%{{x:,.4~r}} {unit}<br>step %{{customdata:,}}<extra></extra>"
        line = go.Scatter(
            x=points[by],
            y=points["Loss (nats a token)"],
            name=f"{name.removesuffix(', segments')}, {part}",
            customdata=points["Step"],
        )
        line.update(mode="lines+markers" if strong else "lines", hovertemplate=hover)
        line.update(line={"color": colours[kind], "width": 2.5 if strong else 1.2, "dash": "solid" if strong else "dot"})
        figure.add_trace(line.update(marker={"size": 6, "symbol": "circle" if kind == "xl" else "square"}))
    figure.update_layout(
        shapes=[
            {"type": "line", "xref": "paper", "x0": 0, "x1": 1, "y0": target, "y1": target}
            | {"line": {"width": 1, "dash": "dash", "color": colours["line"]}}
        ],
        annotations=[
            {"text": label, "xref": "paper", "x": 0, "xanchor": "left", "y": target, "yanchor": "top", "showarrow": False}
        ],
    )
    lowest, highest = float(facts["Loss (nats a token)"].min()), float(facts["Loss (nats a token)"].max())
    figure.update_xaxes(title=by, rangemode="tozero")
    figure.update_yaxes(title="Loss (nats a token)", range=(lowest - 0.15, highest + 0.1))
    return _laid_out(figure, height)


def _laid_out(figure: go.Figure, height: int) -> go.Figure:
    legend = {"orientation": "h", "x": 0, "y": 1.02, "yanchor": "bottom"}
    return figure.update_layout(height=height, legend=legend, margin={"l": 10, "r": 10, "t": 20, "b": 10}, hovermode="closest")
