"""Loss curves in tokens and in time, and who learned faster."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

from txlviz.analysis.study import first_reached, points_below
from txlviz.figures import study as figures
from txlviz.ui.chart import chart
from txlviz.ui.study.runs import KINDS, Runs
from txlviz.ui.study.words import colours, label, prose

_AXES = {"tokens": figures.TOKENS, "seconds": figures.SECONDS}
_ENTRIES = 30  # of the cards' training losses, each of 10 steps, averaged to one point: as far apart as the validation's


@dataclass(frozen=True)
class Pace:
    """What the Transformer-XL needed to come down to the vanilla model's last validation loss."""

    ahead: float
    """Nats a token by which it is lower at the end."""
    tokens: float | None
    """Share (0 to 1) of the vanilla model's tokens; None: never."""
    ratio: float | None
    """Its time for a step, divided by the vanilla model's; None: not measured."""

    @property
    def time(self) -> float | None:
        """Share of the vanilla model's time."""
        return None if self.tokens is None or self.ratio is None else self.tokens * self.ratio


def pace(runs: Runs) -> Pace:
    """From the cards' curves and the recorded step times."""
    points = {kind: _validation(runs, kind) for kind in KINDS}
    (steps, losses), (others, targets) = points["xl"], points["vanilla"]
    reached = first_reached(steps, losses, targets[-1])
    seconds = _seconds(runs)
    ratio = seconds["xl"] / seconds["vanilla"] if seconds else None
    return Pace(targets[-1] - losses[-1], None if reached is None else reached / others[-1], ratio)


def below(runs: Runs, by: str) -> tuple[int, int]:
    """At how many of the vanilla model's points the Transformer-XL's curve is lower, against tokens or time."""
    seconds = _seconds(runs) if by == "seconds" else {"xl": 1.0, "vanilla": 1.0}
    places = {kind: [step * seconds[kind] for step in _validation(runs, kind)[0]] for kind in KINDS}
    return points_below(places["xl"], _validation(runs, "xl")[1], places["vanilla"], _validation(runs, "vanilla")[1])


def _validation(runs: Runs, kind: str) -> tuple[list[int], list[float]]:
    """Steps and validation losses of a card's curve."""
    curve = runs.cards[kind]["curve"]
    known = [(s, v) for s, v in zip(curve["step"], curve["valid_loss"], strict=True) if v is not None]
    return [step for step, _ in known], [loss for _, loss in known]


def draw(runs: Runs) -> None:
    """Chart, switch between tokens and time, and the claim in numbers."""
    if any("curve" not in runs.cards[kind] for kind in KINDS):
        return
    st.header(prose("curves_head"), anchor=False)
    seconds = _seconds(runs)
    left, right = st.columns([3, 2], gap="large")
    with left:
        options = list(_AXES) if seconds else ["tokens"]
        by = st.segmented_control(label("by"), options, default="tokens", required=True, format_func=label, key="study_by")
        facts = figures.curve_facts({kind: runs.cards[kind]["curve"] for kind in KINDS}, _ENTRIES, seconds)
        lower, points = below(runs, by)
        target = _validation(runs, "vanilla")[1][-1]
        chart(
            figures.curves(facts, _AXES[by], target, colours(), label("target")),
            facts,
            title=label(f"curves_title_{by}", below=lower, points=points),
            name=f"loss-curves-{runs.preset}-by-{by}",
            alt=label("curves_alt"),
            key="study_curves",
        )
    with right:
        st.markdown(said(runs))
        with st.expander(prose("curves_fold")):
            steps = runs.record.get("steps", {"rounds": 0, "machine": "-"})
            read = runs.cards["xl"]["curve_valid"]
            st.markdown(prose("curves_note", rounds=steps["rounds"], machine=steps["machine"], **read))


def said(runs: Runs) -> str:
    """Whether the Transformer-XL learns faster, as Markdown."""
    found = pace(runs)
    if found.tokens is None:
        return prose("faster_never")
    first = prose("faster_tokens", ahead=found.ahead, tokens=100 * found.tokens)
    if found.time is None:
        return f"{first}\n\n{prose('faster_unknown')}"
    lower, points = below(runs, "seconds")
    sooner, mostly = found.time < 1, lower > points / 2
    verdict = "faster_both" if sooner and mostly else "faster_mixed" if sooner or mostly else "faster_by_tokens_only"
    numbers = {"ratio": found.ratio, "time": 100 * found.time, "below": lower, "points": points}
    return f"{first}\n\n{prose('faster_time', **numbers, verdict=prose(verdict))}"


def _seconds(runs: Runs) -> dict[str, float]:
    """Of a training step, by kind; empty where they weren't recorded."""
    return dict(runs.record.get("steps", {}).get("seconds", {}))
