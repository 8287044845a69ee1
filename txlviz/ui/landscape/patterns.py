"""The cards of all systems, and the two that were picked: pattern, cone, and what stands beside them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import streamlit as st

from txlviz.figures import landscape as figures
from txlviz.models.attentions import Settings as Sizes
from txlviz.ui.landscape import components, controls, systems
from txlviz.ui.landscape.controls import Choice
from txlviz.ui.landscape.reading import MOST, Reading
from txlviz.ui.landscape.systems import Seen
from txlviz.ui.landscape.words import ATTENTIONS, both_colours, label, labels, name, prose


def cards(reading: Reading, sizes: Sizes, pair: tuple[str, str]) -> None:
    """The small cones of all systems."""
    found = {system: systems.seen(system, reading, sizes) for system in ATTENTIONS}
    facts = cone_facts(found, reading.n_layers)
    data = {
        "title": label("picker_title", token=reading.tokens[reading.place], layers=reading.n_layers),
        "label": label("picker_label"),
        "name": "txlviz-cones",
        "picked": list(pair),
        "selected": reading.place,
        "total": len(reading.tokens),
        "systems": [
            {
                "id": system,
                "title": name(system),
                "said": label("picker_said" if one.causal else "picker_said_not", back=_far(one)),
                "colours": both_colours(system),
                "rows": figures.rows(one.cone),
            }
            for system, one in found.items()
        ],
        "heads": list(facts.columns),
        "rows": facts.to_numpy(dtype=object).tolist(),
    }
    components.picker(data, ATTENTIONS, key="landscape_cards", on_pick=controls.pick)


def cone_facts(found: Mapping[str, Seen], n_layers: int) -> pd.DataFrame:
    """A row a system: tokens back from the selected one that can matter after each layer."""
    rows = [
        [name(system), label("yes" if one.causal else "no"), *one.back, one.gapless, round(one.mean[-1], 1)]
        for system, one in found.items()
    ]
    after = [label("table_after", n=n + 1) for n in range(n_layers)]
    heads = [label("table_system"), label("table_causal"), *after, label("table_gapless"), label("table_mean")]
    return pd.DataFrame(rows, columns=heads)


def pair(reading: Reading, choice: Choice, sizes: Sizes, preset: str) -> None:
    """The two patterns, side by side."""
    for column, side, system in zip(st.columns(2, gap="large"), controls.SIDES, choice.pair, strict=True):
        with column:
            picture, beside = st.columns([1.66, 1], gap="small")
            one = systems.seen(system, reading, sizes)
            with picture:
                _pattern(reading, choice, sizes, side, system, one, preset)
            with beside:
                _beside(reading, side, system, one, own=side == controls.SIDES[0] or not controls.shared(choice.pair))
    if reading.total > len(reading.tokens):
        last = reading.first + len(reading.tokens) - 1
        st.caption(prose("piece", total=reading.total, first=reading.first, last=last, most=MOST))
    if choice.weights:
        st.caption(prose("weights_note"))
        if "linformer" in choice.pair:
            st.caption(prose("linformer_note"))


def _pattern(reading: Reading, choice: Choice, sizes: Sizes, side: str, system: str, one: Seen, preset: str) -> None:
    T = len(reading.tokens)
    kinds = figures.kinds(one.mask, _near(system, T, sizes), _everywhere(system, sizes))
    header: dict[str, Any] = {
        "group": "attention",
        "title": label(f"title_{system}"),
        "label": label("pattern_label", system=name(system)),
        "name": f"txlviz-{system}",
        "tokens": list(reading.tokens),
        "first": reading.first,
        "selected": reading.place,
        "starts": list(range(0, T, sizes.segment_length)) if system in ("segments", "xl") else [],
        "colours": both_colours(system),
        "near": label(f"near_{system}"),
        "far": labels().get(f"far_{system}", label("far_other")),
        "everywhere": label("everywhere"),
        "limit": 1.0,
        "words": components.words(),
    }
    values, signed = None, False
    if choice.weights:
        values = systems.weights(system, reading, preset, sizes, choice.layer, choice.head)
        signed = system == "linformer"
        header["title"] = label("title_weights", head=choice.head + 1, layer=choice.layer + 1)
        header["limit"] = figures.limit([values], least=0.001) if signed else 1.0
    block = figures.pattern(header, kinds=kinds, cone=one.cone, values=values, signed=signed)
    components.pattern(block, reading.total, key=f"landscape_{side}_pattern")


def _beside(reading: Reading, side: str, system: str, one: Seen, *, own: bool) -> None:
    """Whether it is causal, its formula, with ``own`` the sizes in it, what it gives up, and its numbers here."""
    if one.causal:
        st.badge(label("badge_causal"), icon=":material/check:", color="gray", help=prose("help_causal"))
    else:
        st.badge(label("badge_not_causal"), icon=":material/block:", color="red", help=prose("help_causal"))
    if not one.causal:
        st.markdown(f":small[{prose('not_causal_linformer' if system == 'linformer' else 'not_causal')}]")
    st.markdown(prose(f"formula_{system}"))
    if own:
        controls.sliders(system)
    st.markdown(f":small[{prose(f'gives_{system}')}]")
    T = len(reading.tokens)
    numbers = {
        label("reach", layers=reading.n_layers): _far(one),
        label("scores"): label("scores_of", scores=one.scores, share=200 * one.scores / (T * (T + 1))),
        label("order"): label(f"order_{system}"),
        label("paper"): label(f"paper_{system}"),
    }
    components.facts(numbers, key=f"landscape_{side}_facts")


def _far(one: Seen) -> str:
    """How far the selected token's past reaches, and how far without a gap."""
    if one.gapless == one.back[-1]:
        return label("far_one", back=one.back[-1])
    return label("far_gaps", gapless=one.gapless, back=one.back[-1])


def _near(system: str, T: int, sizes: Sizes) -> npt.NDArray[np.bool_]:
    """(T, T) what is a query's segment or window."""
    query, key = np.arange(T)[:, None], np.arange(T)[None, :]
    if system in ("segments", "xl"):
        return np.asarray(query // sizes.segment_length == key // sizes.segment_length)
    if system.startswith("longformer"):
        return np.asarray(np.abs(query - key) <= sizes.window)
    if system == "bigbird":
        return np.asarray(np.abs(query // sizes.block - key // sizes.block) <= sizes.window_blocks // 2)
    return np.ones((T, T), dtype=bool)


def _everywhere(system: str, sizes: Sizes) -> int:
    """So many of the first places are global."""
    if system.startswith("longformer"):
        return sizes.n_global
    return sizes.n_global_blocks * sizes.block if system == "bigbird" else 0
