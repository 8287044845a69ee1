"""Position systems: what each brings to the scores of the typed text, in a model that was trained with it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import streamlit as st

import txlviz
from txlviz.analysis.position_part import PositionPart, position_part
from txlviz.analysis.system_cost import position_cost
from txlviz.commands.measure.landscape_cost import PRESET
from txlviz.figures import landscape as figures
from txlviz.figures import landscape_positions as curves
from txlviz.models.attentions import Settings as Sizes
from txlviz.ui import models, session
from txlviz.ui.chart import chart
from txlviz.ui.landscape import components, systems
from txlviz.ui.landscape.reading import Reading
from txlviz.ui.landscape.words import ENCODINGS, both_colours, colour, encoding, label, labels, prose

FOLDER, TRAINED = "landscape", 64
LAYERS, HEADS = (1, 2), (1, 2, 3, 4)
DEFAULT = "xl"
MEMORY = 128
"""M of the runs with recurrence."""
BY_DISTANCE = ("shaw", "xl", "rotary", "alibi")
"""They count from the query, so that rows of a segment before keep their meaning: a memory is possible."""
AT_INPUT = ("sinusoids", "learned")


@dataclass(frozen=True)
class Choice:
    """What the controls say. Layer and head count from 0."""

    encoding: str
    layer: int
    head: int


def chosen() -> Choice:
    """The controls, drawn where it is called."""
    _restore()
    with st.container(key="landscape-positions", horizontal=True, vertical_alignment="center", gap="small"):
        one = st.pills(
            label("positions"),
            ENCODINGS,
            required=True,
            format_func=encoding,
            key="landscape_positions",
            label_visibility="collapsed",
            persist_state="session",
            wrap=True,
        )
        for which, options in (("layer", LAYERS), ("head", HEADS)):
            st.selectbox(
                label(which),
                options,
                format_func=labels()[f"{which}_of"].format,
                key=f"landscape_position_{which}",
                width=116,
                label_visibility="collapsed",
                persist_state="session",
            )
    layer, head = (st.session_state[f"landscape_position_{which}"] for which in ("layer", "head"))
    session.write("positions", one, DEFAULT)
    session.write("player", layer, LAYERS[0])
    session.write("phead", head, HEADS[0])
    return Choice(one if one in ENCODINGS else DEFAULT, layer - 1, head - 1)


def draw(choice: Choice, reading: Reading) -> None:
    """Matrix, curve against distance, formula, and what the system gives up."""
    with st.container():
        left, middle, right = st.columns([1.25, 1.25, 0.85], gap="medium")
        with right:
            _beside(choice)
        source = _checkpoint(choice.encoding)
        if source is None:
            left.info(prose("position_missing"))
            return
        found = models.remembered(position_part, source, reading.text, choice.layer, TRAINED)
        with left:
            _matrix(choice, found)
        with middle:
            _curve(choice, found)


def _beside(choice: Choice) -> None:
    """Formula, what it gives up, its reach, what it adds, its paper, and what the matrix shows of it."""
    one = choice.encoding
    N, config = len(LAYERS), models.checkpoint(PRESET, "vanilla").config
    alone = Sizes(segment_length=TRAINED)
    back = systems.reach("segments", TRAINED, N, alone).back[-1, -1]
    said = label("far_one", back=back)
    if one in BY_DISTANCE:
        carried = Sizes(segment_length=TRAINED, memory_length=MEMORY)
        n = TRAINED + -(-N * MEMORY // TRAINED) * TRAINED + TRAINED
        far = systems.reach("xl", n, N, carried).back[-1, -1]
        said += " " + label("encoding_reach_memory", M=MEMORY, back=far)
    added = position_cost(config, one, TRAINED)
    deep = one in AT_INPUT and choice.layer > 0
    st.markdown(prose(f"formula_encoding_{one}"))
    st.markdown(f":small[{prose(f'gives_encoding_{one}')}]")
    numbers = {
        label("drawn"): label("drawn_deep" if deep else f"drawn_{one}"),
        label("reach", layers=N): said,
        label("encoding_adds", n=TRAINED): label("encoding_operations", count=added.flops + added.elementwise),
        label("encoding_parameters"): f"{added.parameters:,}",
        label("paper"): label(f"paper_encoding_{one}"),
    }
    components.facts(numbers, key="landscape_position_facts")


def _matrix(choice: Choice, found: PositionPart) -> None:
    """What positions bring, or where there is no such part the attention weights."""
    T = len(found.inputs)
    seen = np.tril(np.ones((T, T), dtype=bool))
    signed = found.scores is not None
    values = np.nan_to_num(found.scores[choice.head]) if found.scores is not None else found.weights[choice.head]
    header: dict[str, Any] = {
        "group": "position",
        "title": label("position_title" if signed else "position_title_weights", system=encoding(choice.encoding)),
        "label": label("pattern_label", system=encoding(choice.encoding)),
        "name": f"txlviz-positions-{choice.encoding}",
        "tokens": list(found.inputs),
        "first": 0,
        "selected": T - 1,
        "starts": [],
        "colours": both_colours(choice.encoding),
        "near": label("far_other"),
        "far": "",
        "everywhere": "",
        "limit": figures.limit([values]) if signed else 1.0,
        "words": components.words()
        | ({"bar_signed": label("bar_position"), "table_signed": label("bar_position")} if signed else {}),
    }
    block = figures.pattern(header, kinds=seen.astype(np.uint8), values=values, signed=signed)
    components.pattern(block, T, key="landscape_position_matrix")


def _curve(choice: Choice, found: PositionPart) -> None:
    mean = found.by_distance if found.by_distance is not None else found.weights_by_distance
    axis = label("distance_y" if found.by_distance is not None else "distance_y_weights")
    chart(
        curves.by_distance(mean, found.spread, choice.head, colour(choice.encoding), labels(), axis),
        curves.facts(mean, found.spread, labels()),
        title=label("distance_title" if found.by_distance is not None else "distance_title_weights"),
        name=f"txlviz-distance-{choice.encoding}",
        alt=label("distance_alt"),
        key="landscape_distance",
    )


def _checkpoint(system: str) -> txlviz.Checkpoint | None:
    """The model that was trained with the system; None where it isn't there."""
    if not (models.CHECKPOINTS / FOLDER / f"{system}-full" / "card.json").exists():
        return None
    return models.checkpoint(FOLDER, f"{system}-full")  # type: ignore[arg-type]


def _restore() -> None:
    back = session.went_back()
    if back or "landscape_positions" not in st.session_state:
        st.session_state["landscape_positions"] = session.read_name("positions", ENCODINGS, DEFAULT)
    for which, name, options in (("layer", "player", LAYERS), ("head", "phead", HEADS)):
        key = f"landscape_position_{which}"
        if back or st.session_state.get(key) not in options:
            st.session_state[key] = session.read(name, options, options[0])
