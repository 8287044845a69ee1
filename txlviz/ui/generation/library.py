"""The prompt library: all texts in one figure, the counts, and one text to read."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pandas as pd
import streamlit as st

from txlviz.analysis.prompts import MEMORY_LENGTHS, Prompt
from txlviz.commands.measure.prompts import FILE
from txlviz.figures import speed_prompts as figures
from txlviz.recorded import RecordError
from txlviz.ui import front, models, session
from txlviz.ui.chart import chart
from txlviz.ui.generation.filler import library
from txlviz.ui.generation.words import colours, labels, prose

_FRONT = Path(__file__).parent / "front"
_DEFAULT = 256

_mount = st.components.v2.component(
    "txlviz_marked_text",
    html='<p class="marked"></p>',
    css=front.read(_FRONT / "marked.css"),
    js=front.script([_FRONT / "marked.js"]),
)


def draw(preset: str) -> None:
    """Sentence, control, figure, text."""
    st.header(prose("library_head"), anchor=False)
    try:
        texts: list[dict[str, Any]] = models.recorded(preset, FILE)["texts"]
    except RecordError as error:
        st.warning(prose("library_missing"))
        st.code(str(error), language=None, wrap_lines=True)
        return
    control, said = st.columns([1, 3], gap="large", vertical_alignment="center")
    with control:
        M = _memory()
    said.markdown(_sentence(texts, M))
    left, right = st.columns([1.6, 1], gap="large")
    with left:
        _figure(texts, preset, M)
    with right:
        _text(_one(texts), M)
    with st.expander(prose("library_fold")):
        distances = [text["distance"] for text in texts]
        weak = f"{factor(texts, 'xl 64'):.3g}"
        st.markdown(prose("library_fold_text", factor=weak, nearest=min(distances), furthest=max(distances)))
        st.table(summary(texts), border="horizontal")


def name_of(model: str) -> str:
    """``xl 64`` as people read it."""
    return labels()["vanilla"] if model == "vanilla" else labels()["xl_M"].format(M=model.removeprefix("xl "))


def lowered(texts: list[dict[str, Any]], model: str) -> int:
    """In how many texts the right word gets less likely when the mention is replaced."""
    return sum(mentioned > replaced for mentioned, replaced in (text["chances"][model] for text in texts))


def factor(texts: list[dict[str, Any]], model: str) -> float:
    """The geometric mean of P(mentioned) / P(replaced)."""
    logs = [math.log(mentioned / replaced) for mentioned, replaced in (text["chances"][model] for text in texts)]
    return math.exp(sum(logs) / len(logs))


def summary(texts: list[dict[str, Any]]) -> pd.DataFrame:
    """A row a model."""
    words = labels()
    rows = []
    for model in texts[0]["chances"]:
        equal = sum(mentioned == replaced for mentioned, replaced in (text["chances"][model] for text in texts))
        median = 100 * pd.Series([text["chances"][model][0] for text in texts]).median()
        rows.append(
            (name_of(model), f"{lowered(texts, model)} of {len(texts)}", equal, f"{factor(texts, model):.3g}", f"{median:.2g}")
        )
    return pd.DataFrame(rows, columns=["", words["lowered"], words["equal"], words["factor"], words["median"]]).set_index("")


def _memory() -> int:
    if "sg_M" not in st.session_state:
        st.session_state["sg_M"] = session.read("libraryM", MEMORY_LENGTHS, _DEFAULT)
    M = st.segmented_control(labels()["library_M"], MEMORY_LENGTHS, key="sg_M", required=True, persist_state="session")
    M = M if M in MEMORY_LENGTHS else _DEFAULT
    session.write("libraryM", M, _DEFAULT)
    return int(M)


def _sentence(texts: list[dict[str, Any]], M: int) -> str:
    own, distances = f"xl {M}", [text["distance"] for text in texts]
    mentioned = pd.Series([text["chances"][own][0] for text in texts])
    return prose(
        "library",
        count=len(texts),
        nearest=min(distances),
        furthest=max(distances),
        M=M,
        lowered=lowered(texts, own),
        vanilla=lowered(texts, "vanilla"),
        factor=f"{factor(texts, own):.3g}",
        median=f"{100 * mentioned.median():.2g}",
    )


def _one(texts: list[dict[str, Any]]) -> dict[str, Any]:
    """The text to read."""
    names = [text["name"] for text in texts]
    chosen = st.selectbox(labels()["library_text"], names, key="sg_text", persist_state="session")
    return texts[names.index(chosen) if chosen in names else 0]


def _text(one: dict[str, Any], M: int) -> None:
    prompt: Prompt | None = library().get(one["name"])
    if prompt is None:  # the library was changed after the record was made
        return
    pieces = [
        [prompt.before, ""],
        [prompt.mention, "mention"],
        [f" {prompt.replacement}", "replacement"],
        [prompt.after, ""],
        [f" {prompt.answer}", "answer"],
    ]
    _mount(key="sg_marked", data={"pieces": pieces})
    mentioned, replaced = one["chances"][f"xl {M}"]
    st.markdown(
        prose(
            "library_one",
            distance=one["distance"],
            M=M,
            mentioned=f"{100 * mentioned:.2g}",
            replaced=f"{100 * replaced:.2g}",
            vanilla=f"{100 * one['chances']['vanilla'][0]:.2g}",
        )
    )


def _figure(texts: list[dict[str, Any]], preset: str, M: int) -> None:
    order = sorted(texts, key=lambda text: text["chances"][f"xl {M}"][1] / text["chances"][f"xl {M}"][0])
    rows = [
        (text["name"], name_of(model), 100 * chances[0], 100 * chances[1], text["distance"])
        for text in order
        for model, chances in text["chances"].items()
    ]
    facts = pd.DataFrame(rows, columns=[figures.TEXT, figures.MODEL, figures.WITH, figures.WITHOUT, labels()["distance"]])
    shown = {"xl": name_of(f"xl {M}"), "vanilla": name_of("vanilla")}
    chart(
        figures.dumbbells(facts, shown, colours()),
        facts,
        title=prose("library_title"),
        name=f"prompt-library-{models.layers_label(preset).replace(' ', '-')}-M{M}",
        alt=prose("library_alt"),
        key="sg_library",
    )
