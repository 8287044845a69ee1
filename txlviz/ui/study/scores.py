"""The scores: bars with the guess, the answer, and all of them as a table."""

from __future__ import annotations

from typing import Any

import pandas as pd
import streamlit as st

from txlviz.figures import study as figures
from txlviz.ui import text
from txlviz.ui.chart import chart
from txlviz.ui.study.guess import Choice
from txlviz.ui.study.runs import ORDER, Runs
from txlviz.ui.study.words import colours, label, lower, prose

SPLITS, QUANTITIES = ("valid", "test"), ("token_perplexity", "word_perplexity", "bits_per_byte")
AWD_LSTM = 65.8
"""As published (Merity et al. 2017, arXiv 1708.02182, table 2): perplexity per word, WikiText-2, test."""
_SETTINGS = ("segment_length", "memory_length", "batch_size", "stride")
_SHOWN = {"token_perplexity": ".2f", "word_perplexity": ".1f", "bits_per_byte": ".3f"}


def draw(runs: Runs, choice: Choice) -> None:
    """The bars, with what they mean beside them."""
    left, right = st.columns([3, 2], gap="large")
    with left:
        _bars(runs, choice)
    with right:
        st.markdown(prose("formula"), help=prose("formula_note"))
        st.markdown(_answer(runs, choice) if choice.revealed else prose("hidden_note"))
        if not choice.revealed:
            st.markdown(prose("hidden"))


def table(runs: Runs) -> None:
    """All scores with their settings."""
    st.table(rows(runs), border="horizontal")
    st.caption(f"{prose('published', awd=AWD_LSTM)} {text.prose('common', 'scored_text')}")


def rows(runs: Runs) -> pd.DataFrame:
    """A row each split and reading, as strings: few columns, so that a telephone shows all."""
    found = {}
    for split in SPLITS:
        for how, name in ORDER.items():
            score = runs.score(split, how)
            if score:
                numbers = {label(quantity): format(score[quantity], _SHOWN[quantity]) for quantity in QUANTITIES}
                settings = ", ".join(str(score[field]) for field in _SETTINGS)
                found[f"{label(split)}: {name}"] = {**numbers, label("settings"): settings}
    return pd.DataFrame.from_dict(found, orient="index")


def _bars(runs: Runs, choice: Choice) -> None:
    split, quantity = "valid", "token_perplexity"
    if choice.revealed:
        with st.container(key="study-measure", horizontal=True, gap="medium"):
            split = st.segmented_control(
                label("split"), SPLITS, default="valid", required=True, format_func=label, key="study_split"
            )
            quantity = st.segmented_control(
                label("quantity"), QUANTITIES, default=QUANTITIES[0], required=True, format_func=label, key="study_quantity"
            )
    scored = {how: runs.score(split, how) for how in ORDER}
    shown = {ORDER[how]: score[quantity] for how, score in scored.items() if score}
    if figures.VANILLA not in shown or figures.XL not in shown:
        return  # cards without scores
    facts = _facts(shown, quantity, split)
    guess = None
    if split == "valid" and quantity == "token_perplexity" and (choice.guessed or not choice.revealed):
        guess = figures.Guess(shown[figures.VANILLA] * (1 - choice.percent / 100), label("your_guess"))
    if not choice.revealed:
        shown[figures.XL] = None
        facts = facts[facts["Model"] != figures.XL]
    chart(
        figures.bars(shown, guess, label(f"axis_{quantity}"), colours()),
        facts,
        title=label("bars_title", quantity=label(f"axis_{quantity}").lower(), split=label(split).lower())
        if choice.revealed
        else label("bars_title_hidden"),
        name=f"scores-{runs.preset}-{split}-{quantity.replace('_', '-')}",
        alt=label("bars_alt"),
        key="study_bars",
    )


def _facts(shown: dict[str, Any], quantity: str, split: str) -> pd.DataFrame:
    return pd.DataFrame({"Model": list(shown), label(f"axis_{quantity}"): list(shown.values()), label("split"): label(split)})


def _answer(runs: Runs, choice: Choice) -> str:
    """Guess and measured, in words."""
    said = []
    for split in SPLITS:
        gain = runs.gain(split)
        if gain is None:
            return ""
        first = split == SPLITS[0]
        key = "answer" if first and choice.guessed else "answer_open"
        said.append(prose(key, guess=lower(choice.percent), split=label(split).lower(), gain=lower(gain)))
        best = runs.gain(split, "vanilla_best")
        if best is not None:
            said[-1] += " " + prose("answer_best", best=lower(best))
    missing = [label(split).lower() for split in SPLITS if runs.gain(split, "vanilla_best") is None]
    if missing:
        said.append(prose("best_missing", splits=", ".join(missing)))
    return "\n\n".join(said)
