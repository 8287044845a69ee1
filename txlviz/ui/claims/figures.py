"""The small figure of a claim, from its numbers. Claims that a table says as well have none."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import pandas as pd
import plotly.graph_objects as go

from txlviz.analysis.eval_speed import PAPER
from txlviz.claims import length, quality
from txlviz.figures.claims import BY, Claimed, Style, bars, lines
from txlviz.ui.claims import figures_reach
from txlviz.ui.claims.series import SIZES, VANILLA, XL, Drawn, Numbers, Series, by_size, curves, grouped, size_styles, table
from txlviz.ui.claims.words import colours, label


@dataclass(frozen=True)
class Picture:
    """A figure, its numbers as a table, and what it says."""

    figure: go.Figure
    facts: pd.DataFrame
    title: str


def picture(number: int, numbers: Numbers) -> Picture | None:
    """None where the claim has no figure."""
    draw = _FIGURES.get(number)
    if draw is None:
        return None
    figure, facts = draw(numbers)
    return Picture(figure, facts, label(f"figure_{number}"))


def _gains(numbers: Numbers) -> Drawn:
    names = ("gain_m16", "gain_m64", "gain_m256", "best_gain", "word_gain")
    return grouped(label("reading"), label("percent_lower"), names, numbers, Claimed(*quality.CLAIMED, label("claimed")))


def _pace(numbers: Numbers) -> Drawn:
    claimed = Claimed(100, 100, label("vanilla"))
    return grouped(label("needed"), label("percent_of_vanilla"), ("tokens", "time"), numbers, claimed, height=240)


def _terms(numbers: Numbers) -> Drawn:
    what, value = label("left_out"), label("nats_more")
    names = {size: label("left_out_of", model=label(size)) for size in SIZES}
    trained = label("trained_without")
    rows = [(f"({term})", names[size], numbers[f"cost_{term}_{size}"]) for term in "abcd" for size in SIZES]
    rows += [(f"({term})", trained, numbers[f"trained_cost_{term}"]) for term in "abcd"]
    facts = pd.DataFrame(rows, columns=[what, BY, value])
    styles = {names[size]: style for size, style in SIZES.items()} | {trained: Style("line")}
    return bars(facts, what, value, styles, colours(), height=340), facts


def _lengths(numbers: Numbers) -> Drawn:
    x, y, xs = label("segment"), label("nats"), numbers["lengths"]
    series: Series = {
        label("xl_4l"): (xs, numbers["xl_4l"]),
        label("vanilla_4l"): (xs, numbers["vanilla_4l"]),
    }
    styles = {label("xl_4l"): XL, label("vanilla_4l"): VANILLA}
    looks = {"xl": ("xl", "dash"), "shaw": ("line", "solid"), "rotary": ("line", "dash"), "alibi": ("line", "dot")}
    looks |= {"sinusoids": ("vanilla", "dash"), "learned": ("vanilla", "dot")}
    for encoding, (colour, dash) in looks.items():
        series[label(f"encoding_{encoding}")] = (xs, numbers[f"encoding_{encoding}"])
        styles[label(f"encoding_{encoding}")] = Style(colour, dash)
    facts = table(x, y, series)
    return lines(facts, x, y, styles, colours(), log="x", ticks=xs, height=420), facts


def _prompts(numbers: Numbers) -> Drawn:
    x, y = label("rank"), label("times_likelier")
    facts = table(x, y, by_size("factors", numbers, range(1, numbers["texts"] + 1)))
    return lines(facts, x, y, size_styles(), colours(), claimed=Claimed(1, 1, label("no_help")), log="y"), facts


def _speed(numbers: Numbers) -> Drawn:
    x, y, paper = label("attention"), label("times_as_fast"), label("paper_9")
    facts = table(x, y, {**by_size("times", numbers, numbers["lengths"]), paper: (list(PAPER), list(PAPER.values()))})
    styles = {**size_styles(), paper: Style("vanilla", symbol="diamond-open", points_only=True)}
    return lines(facts, x, y, styles, colours(), log="xy", ticks=numbers["lengths"]), facts


def _growth(numbers: Numbers) -> Drawn:
    xs, styles = numbers["lengths"], {"whole": VANILLA, "fused": Style("vanilla", "dot", "diamond-open"), "xl": XL}
    return curves(label("text"), label("seconds"), xs, styles, "way_{}", "seconds_{}", numbers, log="xy", ticks=xs)


def _word(numbers: Numbers) -> Drawn:
    styles = {"apart": XL, "apart_without_u": Style("line", "dot", "x"), "vanilla_apart": VANILLA}
    layers = list(range(len(numbers["apart_4l"])))
    return curves(label("layer"), label("apart"), layers, styles, "states_{}", "{}_4l", numbers, ticks=layers)


def _pairs(numbers: Numbers) -> Drawn:
    looks = {"longformer-causal": ("solid", "circle"), "longformer": ("dash", "square"), "bigbird": ("dot", "diamond")}
    layers, styles = numbers["layers"], {name: Style("line", dash, symbol) for name, (dash, symbol) in looks.items()}
    return curves(label("depth"), label("lost"), layers, styles, "{}", "lost_{}", numbers, ticks=layers)


def _lookup(numbers: Numbers) -> Drawn:
    xs = numbers["lengths"]
    styles = {"full": VANILLA, "k32": Style("line", "dot", "diamond"), "k128": Style("line", "dash")}
    options = {"claimed": Claimed(numbers["chance"], numbers["chance"], label("chance")), "log": "x", "ticks": xs}
    spread = "lowest_{}", "highest_{}"
    return curves(label("text"), label("accuracy"), xs, styles, "accuracy_{}", "accuracy_{}", numbers, spread, **options)


def _memory(numbers: Numbers) -> Drawn:
    x, y = label("memory"), label("nats")
    styles = {**SIZES, "small_xl": Style("line", "dash", "diamond"), "small_shaw": Style("line", "dot", "x")}
    series: Series = {}
    for name in styles:
        kept = [(M, loss) for M, loss in zip(numbers[f"lengths_{name}"], numbers[f"losses_{name}"], strict=True) if M]
        series[label(name)] = ([M for M, _ in kept], [loss for _, loss in kept])  # a log scale has no M = 0
    ticks = sorted({M for lengths, _ in series.values() for M in lengths})
    facts = table(x, y, series)
    return lines(facts, x, y, {label(name): one for name, one in styles.items()}, colours(), log="x", ticks=ticks), facts


def _half(numbers: Numbers) -> Drawn:
    what, value = label("encoding"), label("half_percent")
    kinds = {"absolute": (length.ABSOLUTE, VANILLA), "relative": (length.RELATIVE, XL)}
    rows = [
        (label(f"half_{one}"), label(kind), numbers[f"change_{one}"]) for kind, (those, _) in kinds.items() for one in those
    ]
    facts = pd.DataFrame(rows, columns=[what, BY, value])
    return bars(facts, what, value, {label(kind): style for kind, (_, style) in kinds.items()}, colours()), facts


_FIGURES: Mapping[int, Callable[[Numbers], Drawn]] = {
    1: _gains,
    2: _pace,
    3: figures_reach.depth,
    4: figures_reach.segments,
    5: _terms,
    6: _lengths,
    8: _prompts,
    9: _speed,
    10: figures_reach.vanilla,
    12: _growth,
    13: figures_reach.reach_512,
    14: _word,
    15: figures_reach.places,
    16: figures_reach.deep,
    19: _pairs,
    20: _lookup,
    23: _memory,
    27: _half,
}
