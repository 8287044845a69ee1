"""The recorded story as the Start page shows it."""

from __future__ import annotations

import math

import streamlit as st

from txlviz import Trace
from txlviz.analysis.story import SEGMENT_LENGTH, Record, Story
from txlviz.ui import text
from txlviz.ui.token_strip import Arc, per_place, token_strip

LEAST_NATS = 0.05  # the strip draws a smaller change as nothing
_CLEAR = 1.2  # factors nearer to 1 are called none


def odds(story: Story, memory: int) -> None:
    """The probability of the returning name, for both models."""
    first, end = story.mentions[-1]
    pieces = " · ".join(token.removeprefix("␣") for token in story.inputs[first:end])
    explained = text.prose("start", "help_probability").format(name=story.name, count=end - first, pieces=pieces)
    for kind, name, reading in (("vanilla", "vanilla", story.vanilla), ("xl", "XL", story.xl[memory])):
        with st.container(key=f"txl-odds-{kind}"):
            st.metric(f"P({story.name}), {name}", percent(reading.probability), help=explained)


def factors(story: Story, memory: int) -> str:
    """How many times as probable the name is as for the vanilla model, and as without memory; as Markdown."""
    reading = story.xl[memory]
    against = [_times(reading.probability / story.vanilla.probability, "vanilla")]
    if memory:
        against.append(_times(reading.probability / story.xl[0].probability, "no_memory"))
    return text.prose("start", "factors").format(name=story.name, memory=memory, factors="; ".join(against))


def _times(factor: float, other: str) -> str:
    """``190 times as likely as for ...``, with two digits that count."""
    kind = "more" if factor >= _CLEAR else "less" if factor <= 1 / _CLEAR else "same"
    times = _two_digits(max(factor, 1 / factor))
    return text.prose("start", f"factor_{kind}").format(times=times, other=text.prose("start", f"factor_{other}"))


def _two_digits(factor: float) -> str:
    return f"{factor:.2g}" if factor < 10 else f"{round(factor, 1 - math.floor(math.log10(factor))):,.0f}"


def strip(story: Story, memory: int) -> None:
    """The text with both models' surprise, and the measured arcs for this length of memory."""
    reading, last = story.xl[memory], 2 * SEGMENT_LENGTH
    arcs = [
        Arc(story.mentions[-1][0], mention[0], change, f"{change:+.1f} nats when replaced")
        for mention, change in zip(story.mentions, reading.changes, strict=False)
    ]
    token_strip(
        story.inputs,
        range(0, len(story.inputs), SEGMENT_LENGTH),
        xl=per_place(reading.losses),
        vanilla=per_place(story.vanilla.losses),
        arcs=arcs,
        memory=(max(0, last - memory), last),
        marks=story.mentions,
        title=text.prose("start", "strip_title"),
        label=f"A story in three segments; {story.name} appears in the first and returns in the third",
        name=f"story-memory-{memory}",
        key="story_strip",
    )


def meaning(story: Story, memory: int) -> str:
    """What is seen, in words, as Markdown."""
    change = story.xl[memory].changes[0]
    kind = "no_arc" if memory == 0 else "arc" if change >= LEAST_NATS else "weak"
    facts = {"memory": memory, "change": f"{change:.2f}", "replacements": ", ".join(story.replacements)}
    first, second = text.prose("start", "meaning"), text.prose("start", kind)
    return f"{first.format(name=story.name)}\n\n{second.format(**facts)}"


def cases(record: Record) -> list[dict[str, str]]:
    """All candidates and how they came out; the picked one is marked."""
    longest = max(record.story.xl)
    return [
        {
            "name": f"{story.name} (shown)" if story.name == record.picked else story.name,
            "P, vanilla": percent(story.vanilla.probability),
            **{f"P, memory {m}": percent(reading.probability) for m, reading in story.xl.items()},
            "change, nats": f"{story.xl[longest].changes[0]:+.2f}",
        }
        for story in record.stories
    ]


def remembered(run: Trace, selected: int | None) -> tuple[int, int] | None:
    """The places that the selected token's prediction finds in the memory; without a selection, the last token's."""
    place = len(run.inputs) - 1 if selected is None else selected
    reader = max(0, place - 1)  # the token at a place is predicted from the place before
    segment = next(segment for segment in reversed(run.segments) if segment.start <= reader)
    return (segment.first_key, segment.start) if segment.memory_rows else None


def percent(probability: float) -> str:
    """A probability with two digits that count."""
    value = 100 * probability
    return f"{value:.0f} %" if value >= 9.95 else f"{value:.2g} %" if value >= 0.0001 else "< 0.0001 %"
