"""Token by token: where the Transformer-XL loses, and which tokens gain from its memory."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd
import streamlit as st

from txlviz.figures import study_tokens as figures
from txlviz.ui.chart import chart
from txlviz.ui.study.runs import Runs
from txlviz.ui.study.words import colours, label, prose, signed

_HEADS = {"vanilla": "Vanilla", **{f"xl_{M}": f"M = {M}" for M in (0, 64, 256)}}


def gap(runs: Runs) -> None:
    """The share of tokens on which the Transformer-XL loses, and the histogram of the difference."""
    found = runs.record.get("gap")
    if not found:
        return
    st.header(prose("gap_head"), anchor=False)
    left, right = st.columns([3, 2], gap="large")
    with left:
        against = st.segmented_control(
            label("against"), list(found), default="vanilla", required=True, format_func=label, key="study_against"
        )
        one = found[against]
        facts = figures.gap_facts(one)
        chart(
            figures.gap(facts, colours()),
            facts,
            title=label("gap_title", share=100 * (1 - one["lost"]), lost=100 * one["lost"]),
            name=f"difference-{runs.preset}-{against.replace('_', '-')}",
            alt=label("gap_alt"),
            key="study_gap",
        )
    numbers = {"mean_lost": one["mean_lost"], "mean_won": one["mean_won"], "tokens": sum(one["counts"])}
    right.markdown(prose("gap", lost=100 * one["lost"], **numbers))


def returns(runs: Runs) -> None:
    """Gain from memory by the distance to a token's last occurrence."""
    found = runs.record.get("recurrences")
    if not found:
        return
    st.header(prose("returns_head"), anchor=False)
    facts = figures.gain_facts(found["classes"])
    M = max(found["beyond"]["difference"], key=int)
    peak = max(found["classes"], key=lambda one: one["gain"][M]["mean"] or 0.0)
    left, right = st.columns([3, 2], gap="large")
    with left:
        chart(
            figures.gains(facts, colours()),
            facts,
            title=label("returns_title", peak=peak["name"]),
            name=f"gain-from-memory-{runs.preset}",
            alt=label("returns_alt"),
            key="study_returns",
        )
    right.markdown(said(found, runs.record["segment_length"], M))
    with st.expander(prose("returns_fold")):
        _details(found, runs.record["segment_length"], M)


def said(found: Mapping[str, Any], L: int, M: str) -> str:
    """The claim about tokens seen long ago, as Markdown."""
    means = {name: found["beyond"][name]["gain"][M]["mean"] for name in ("beyond", "rest")}
    plain, same = found["beyond"]["difference"][M], found["same_frequency"][M]
    numbers = {"difference": plain["mean"], "low": plain["low"], "high": plain["high"]}
    numbers |= {"same": same["mean"], "same_low": same["low"], "same_high": same["high"]}
    shown = {name: signed(value) for name, value in numbers.items()}
    first = prose("returns", L=L, M=M, **means, **shown, verdict=_verdict(plain), same_verdict=_verdict(same))
    new = found["classes"][-1]["gain"][M]["mean"]
    return first if new is None else f"{first}\n\n{prose('returns_new', new=new)}"


def _verdict(interval: Mapping[str, float]) -> str:
    """What an interval of a difference says."""
    return prose("returns_yes" if interval["low"] > 0 else "returns_no" if interval["high"] < 0 else "returns_unclear")


def _details(found: Mapping[str, Any], L: int, M: str) -> None:
    tokens = found["beyond"]["beyond"]["tokens"] + found["beyond"]["rest"]["tokens"]
    st.markdown(prose("returns_fold_text", L=L, tokens=tokens, block=found["block"]))
    st.caption(prose("losses_title"))
    st.table(losses(found), border="horizontal")
    st.caption(prose("frequency_title", M=M))
    st.table(frequencies(found, M, L), border="horizontal")


def losses(found: Mapping[str, Any]) -> pd.DataFrame:
    """Mean losses of each class, as strings."""
    rows = {
        one["name"]: {head: f"{one['loss'][key]:.3f}" for key, head in _HEADS.items() if one["loss"].get(key) is not None}
        for one in found["classes"]
    }
    return pd.DataFrame.from_dict(rows, orient="index")


def frequencies(found: Mapping[str, Any], M: str, L: int) -> pd.DataFrame:
    """Gains of each band of frequency, as strings."""
    titles = {"beyond": f"Last seen over {L} back", "rest": "All others", "new": "Never before"}
    rows = {}
    for band in found["by_frequency"]:
        rows[band["name"]] = {
            title: _with_error(band[group]["gain"][M], band[group]["tokens"]) for group, title in titles.items()
        }
    return pd.DataFrame.from_dict(rows, orient="index")


def _with_error(gain: Mapping[str, float | None], tokens: int) -> str:
    if gain["mean"] is None:
        return "–"
    return f"{signed(gain['mean'])} ± {gain['standard_error']:.3f} ({tokens:,})"
