"""The figures of the claims about reach and context."""

from __future__ import annotations

from txlviz.claims import context
from txlviz.claims import reach as spans
from txlviz.figures.claims import Claimed, Style, lines
from txlviz.ui.claims.series import VANILLA, XL, Drawn, Numbers, Series, by_size, curves, grouped, size_styles, table
from txlviz.ui.claims.words import colours, label


def depth(numbers: Numbers) -> Drawn:
    x, y = label("layers"), label("tokens")
    names = label("reach_64"), label("reach_shipped"), label("used_shipped")
    spans = numbers["spans"]
    series = {
        names[0]: (list(range(1, len(spans) + 1)), spans),
        names[1]: ([2, 4], [numbers["reach_2l"], numbers["reach_4l"]]),
        names[2]: ([2, 4], [numbers["used_2l"], numbers["used_4l"]]),
    }
    shapes = Style("xl"), Style("xl", symbol="diamond-open", points_only=True), Style("line", symbol="x", points_only=True)
    facts = table(x, y, series)
    return lines(facts, x, y, dict(zip(names, shapes, strict=True)), colours()), facts


def segments(numbers: Numbers) -> Drawn:
    names, claimed = ("flat", "recl_10", "recl_50", "recl_100", "reach"), Claimed(*context.CLAIMED, label("claimed"))
    return grouped(label("measure"), label("in_segments"), names, numbers, claimed)


def vanilla(numbers: Numbers) -> Drawn:
    x, y = label("context"), label("nats")
    facts = table(x, y, by_size("losses", numbers, numbers["contexts"]))
    styles = {label("2l"): Style("vanilla", "dot", "square-open"), label("4l"): VANILLA}
    return lines(facts, x, y, styles, colours(), log="x", ticks=numbers["contexts"]), facts


def reach_512(numbers: Numbers) -> Drawn:
    styles = {"last": Style("xl", "dot", "circle-open"), "first": XL, "one_row": Style("line", "dash", "x")}
    options = {"claimed": Claimed(*spans.CLAIMED_13, label("claimed")), "ticks": numbers["layers"]}
    return curves(label("layers"), label("tokens"), numbers["layers"], styles, "reach_{}", "{}", numbers, **options)


def places(numbers: Numbers) -> Drawn:
    x, y = label("place"), label("nats_lower")
    places = [32 * n for n in range(len(numbers["by_place_4l"]))]
    facts = table(x, y, by_size("by_place", numbers, places))
    return lines(facts, x, y, size_styles(), colours(), claimed=Claimed(0, 0, label("equal"))), facts


def deep(numbers: Numbers) -> Drawn:
    x, y, xs = label("layers"), label("tokens"), numbers["layers"]
    looks = {512: ("dot", "triangle-up"), 384: ("dash", "square"), 256: ("solid", "circle"), 150: ("dashdot", "diamond")}
    series: Series = {label("reach_of", L=L): (xs, numbers[f"first_{L}"]) for L in looks}
    series[label("paper_16")] = ([16], [numbers["paper_used"]])
    styles = {label("reach_of", L=L): Style("xl", dash, symbol) for L, (dash, symbol) in looks.items()}
    styles[label("paper_16")] = Style("line", symbol="x", points_only=True)
    facts = table(x, y, series)
    claimed = Claimed(*spans.CLAIMED_16, label("claimed"))
    return lines(facts, x, y, styles, colours(), claimed=claimed, ticks=xs, height=330), facts
