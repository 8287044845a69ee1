"""The same text in other cuts: how far the answers are from those of one segment."""

from __future__ import annotations

from collections.abc import Sequence

import altair as alt
import numpy as np
import numpy.typing as npt
import pandas as pd

Array = npt.NDArray[np.float32]

ROUNDING = 1e-4
"""Logits that differ by less are equal up to float32: each is a sum of a hundred products or so of numbers of about 10."""


def by_token(
    tokens: Sequence[str], losses: Array, starts: Sequence[int], colour: str
) -> tuple[alt.TopLevelMixin, pd.DataFrame]:
    """Nats that each token costs more (up) or less (down) than with the whole past.

    Args:
        tokens: (T,) the inputs; token t is predicted from place t - 1.
        losses: (T - 1,) the difference for the tokens 1 … T - 1.
        starts: places where segments start.

    Returns:
        The chart, and its facts.
    """
    facts = pd.DataFrame(
        {
            "place": np.arange(1, len(losses) + 1),
            "token": list(tokens[1 : len(losses) + 1]),
            "change (nats)": losses.astype(float),
        }
    )
    data = facts.assign(token=[token.replace("\n", "↵") for token in facts["token"]])
    far = max(0.05, float(np.abs(losses).max(initial=0.0)))
    x = alt.X(
        "place:Q",
        title="place in the text",
        scale=alt.Scale(domain=[0, len(tokens)], nice=False),
        axis=alt.Axis(format="d", grid=False),
    )
    y = alt.Y("change (nats):Q", title="change (nats)", scale=alt.Scale(domain=[-far, far]))
    bars = (
        alt.Chart(data)
        .mark_bar(color=colour, size=max(1.0, min(8.0, 640 / len(tokens))))
        .encode(x=x, y=y, tooltip=["place:Q", "token:N", alt.Tooltip("change (nats):Q", format="+.4f")])
    )
    cuts = alt.Chart(pd.DataFrame({"place": list(starts[1:])})).mark_rule(strokeDash=[4, 3], color="#8a8a8a").encode(x=x)
    return alt.layer(cuts, bars).properties(height=260), facts
