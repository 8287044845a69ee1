"""The recorded runs of one preset: the two cards, and what was measured beside them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import streamlit as st

from txlviz.analysis.study import percent_lower
from txlviz.commands.measure.study import FILE
from txlviz.figures.study import BEST, VANILLA, XL
from txlviz.recorded import RecordError
from txlviz.ui import models
from txlviz.ui.study.words import prose

KINDS = ("xl", "vanilla")
ORDER = {"vanilla": VANILLA, "vanilla_best": BEST, "xl": XL}
"""How each reading is named, in the order of the figures."""


@dataclass(frozen=True)
class Runs:
    """What is known of a pair. Parts of the record may be missing."""

    preset: str
    cards: Mapping[str, Mapping[str, Any]]
    record: Mapping[str, Any]

    def score(self, split: str, how: str) -> Mapping[str, Any] | None:
        """The scores of ``xl``, ``vanilla`` (in segments) or ``vanilla_best``; None where there are none."""
        found = self.record.get("scores", {}).get(split, {}).get(how) if how == "vanilla_best" else None
        if how != "vanilla_best":
            found = self.cards[how].get("scores", {}).get(split)
        return found or None

    def gain(self, split: str, against: str = "vanilla") -> float | None:
        """By how many percent the Transformer-XL's perplexity per token is lower."""
        xl, other = self.score(split, "xl"), self.score(split, against)
        if not xl or not other:
            return None
        return percent_lower(xl["token_perplexity"], other["token_perplexity"])


def read(preset: str) -> Runs:
    """The cards and the record. Says so on the page where the record can't be shown."""
    cards = {kind: models.card(preset, kind) for kind in KINDS}
    try:
        record = models.recorded(preset, FILE)
    except RecordError as error:
        st.info(prose("missing"))
        st.code(str(error), language=None, wrap_lines=True)
        record = {}
    return Runs(preset, cards, record)
