"""Folded: a text of each model, the budget, and the commands."""

from __future__ import annotations

from typing import Any

import pandas as pd
import streamlit as st

from txlviz.ui.study.runs import KINDS, Runs
from txlviz.ui.study.words import label, prose

_NAMES = {"xl": "Transformer-XL", "vanilla": "Vanilla"}
_MEASURES = {f"distinct_{n}": f"distinct-{n}" for n in (1, 2, 3, 4)} | {"repeated_16": "repeated"}
_SETTINGS = {
    "n_layers": "Layers N",
    "n_heads": "Heads H",
    "d_model": "Width D",
    "d_inner": "Feed-forward width",
    "vocab_size": "Vocabulary",
    "learning_rate": "Learning rate at its top",
    "warmup_steps": "Warm-up steps",
    "weight_decay": "Weight decay",
    "clip_norm": "Gradient clipped at norm",
    "dropout": "Dropout",
    "seed": "Seed",
}


def texts(runs: Runs) -> None:
    """The same prompt continued by both."""
    found = runs.record.get("texts")
    if not found:
        return
    with st.expander(prose("texts_fold")):
        sampling = found["sampling"]
        st.markdown(prose("texts_fold_text", seed=found["seed"], temperature=sampling["temperature"], top_k=sampling["top_k"]))
        st.code(found["prompt"], language=None, wrap_lines=True)
        for column, kind in zip(st.columns(2, gap="large"), KINDS, strict=True):
            column.markdown(f"**{_NAMES[kind]}**")
            column.code(found[kind]["text"].strip(), language=None, wrap_lines=True)  # never read as Markdown or HTML
        st.table(_repetition(found), border="horizontal")


def budget(runs: Runs) -> None:
    """What both runs had, and the commands that make them again."""
    with st.expander(prose("budget_fold")):
        settings = runs.cards["xl"].get("settings", {})
        if settings:
            optimizer = label(f"optimizer_{settings['optimizer']}")
            st.markdown(prose("budget_fold_text", warmup=settings["warmup_steps"], optimizer=optimizer, **drawn(settings)))
            st.table(facts(runs), border="horizontal")
        st.markdown(prose("commands"))
        commands = [str(runs.cards[kind]["command"]) for kind in KINDS if "command" in runs.cards[kind]]
        st.code("\n".join([*commands, f"python -m txlviz measure study {runs.preset}"]), language="bash", wrap_lines=True)


def facts(runs: Runs) -> pd.DataFrame:
    """Budget and settings of both models, as strings."""
    columns: dict[str, dict[str, str]] = {}
    for kind in KINDS:
        card = runs.cards[kind]
        budget, settings = card.get("budget", {}), card.get("settings", {})
        M = drawn(settings)["lengths"] if kind == "xl" and settings else "–"
        columns[_NAMES[kind]] = {
            "Parameters": f"{card.get('parameters', 0):,}",
            "Steps": f"{budget.get('steps', 0):,}",
            "Batch B": str(budget.get("batch_size", "")),
            "Segment L": str(budget.get("segment_length", "")),
            "Memory M in training": M,
            "Tokens read": f"{budget.get('tokens', 0):,} ({budget.get('epochs', 0):g} epochs)",
            **{name: str(settings.get(key, "")) for key, name in _SETTINGS.items()},
        }
        for package, version in card.get("versions", {}).items():
            columns[_NAMES[kind]][package] = str(version)
    return pd.DataFrame(columns)


def drawn(settings: dict[str, Any]) -> dict[str, Any]:
    """What the Transformer-XL's memory was in training, in words' numbers."""
    memory = settings["memory"]
    return {"lengths": ", ".join(f"{length:,}" for length in memory["lengths"]), "restart": memory["restart"]}


def _repetition(found: dict[str, Any]) -> pd.DataFrame:
    rows = {
        _NAMES[kind]: {name: f"{found[kind][key]:.3f}" for key, name in _MEASURES.items() if found[kind].get(key) is not None}
        for kind in KINDS
    }
    return pd.DataFrame(rows)
