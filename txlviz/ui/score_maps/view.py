"""From one layer's record to the block of bytes that the component shows."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Any

import numpy.typing as npt

from txlviz.analysis.trace import Trace
from txlviz.figures import colours, overview
from txlviz.figures.payload import pack
from txlviz.figures.score_terms import TERMS, ScoreMaps, score_maps, signed_limit, weight_limit
from txlviz.ui.score_maps.labels import labels
from txlviz.ui.score_maps.quiz import Quiz

RESIDUAL_LIMIT = 1e-5

_TABLES = {
    "signed_light": colours.table(colours.DIVERGING_LIGHT),
    "signed_dark": colours.table(colours.DIVERGING_DARK),
    "cividis": colours.table(colours.CIVIDIS),
}


@dataclass(frozen=True)
class View:
    """What is shown of a trace."""

    kind: str
    preset: str
    segment: int
    layer: int
    head: int
    selected: int
    """Place of the selected query."""
    heard: int = 0
    """Number of the browser's last message that this answers: its hand may be further by now."""
    centred: bool = False
    off: tuple[str, ...] = ()
    """Terms left out of the scores of this layer."""
    changed: str = ""
    """What was left out of the model, in words; empty for the model as it is."""
    quiz: Quiz | None = None
    """The order in which the terms stand without their names; None: with their names."""


def maps(run: Trace, view: View) -> ScoreMaps:
    """The maps of the view's layer and head. The layer must have been recorded, and have terms."""
    layer = run.segments[view.segment].layers[view.layer]
    if layer.terms is None:
        raise ValueError(f"layer {view.layer} has no exact split")
    return score_maps(
        layer.terms, layer.scores, layer.weights, layer.visible, head=view.head, d_head=run.d_head, centred=view.centred
    )


@dataclass(frozen=True)
class Limits:
    """The ends of the two colour scales."""

    signed: float
    weight: float

    def shared(self, other: Limits) -> Limits:
        """The limits for maps that are compared."""
        return Limits(max(self.signed, other.signed), max(self.weight, other.weight))


def limits(shown: ScoreMaps, view: View) -> Limits:
    """The ends of the colour scales for these maps alone."""
    return Limits(signed_limit(shown, view.off), weight_limit(shown))


def block(run: Trace, view: View, shown: ScoreMaps, ends: Limits) -> bytes:
    """Everything that the component shows, packed."""
    segment = run.segments[view.segment]
    layers = segment.layers if view.kind == "xl" else segment.layers[:1]
    arrays: dict[str, npt.NDArray[Any]] = {
        **shown.terms,
        "score": shown.score,
        "weights": shown.weights,
        "span": shown.span,
        **_TABLES,
    }
    arrays["thumbs"] = overview.thumbnails([layer.weights for layer in layers], layers[0].visible)
    header: dict[str, Any] = {
        "words": labels(),
        "kind": view.kind,
        "preset": view.preset,
        "inputs": run.inputs,
        "textStamp": _digest("\0".join(run.inputs).encode()),
        "segmentLength": run.segment_length,
        "segment": view.segment,
        "start": segment.start,
        "firstKey": segment.first_key,
        "layer": view.layer,
        "head": view.head,
        "dHead": run.d_head,
        "centred": view.centred,
        "quiz": view.quiz is not None and not view.quiz.revealed,
        "compact": view.kind != "xl",
        "changed": view.changed,
        "limit": ends.signed,
        "weightLimit": ends.weight,
        "residual": run.residual,
        "residualLimit": RESIDUAL_LIMIT,
        "terms": [{"name": term, "title": labels()[f"{view.kind}_{term}"], "off": term in view.off} for term in TERMS],
        "maps": _map_titles(view),
    }
    stamp = _digest(pack(header, arrays))
    return pack({**header, "stamp": stamp, "selected": view.selected, "heard": view.heard}, arrays)


def _map_titles(view: View) -> list[dict[str, Any]]:
    """The six maps: where each stands (slot), which array it shows (name), and what it says."""
    words = labels()
    named: list[dict[str, Any]] = []
    for n, slot in enumerate(TERMS):
        if view.quiz is not None:
            named.append({"slot": slot, **_unnamed(view.quiz.order[n], n + 1, view.quiz.revealed)})
            continue
        off = slot in view.off
        title = f"({slot}) {words[f'{view.kind}_{slot}']}" + (f", {words['off']}" if off else "")
        note = words["map_off" if off else "map_centred_note" if view.centred else f"{view.kind}_{slot}_note"]
        named.append({"slot": slot, "name": slot, "title": title, "note": note, "colour": slot, "off": off})
        named[-1]["diagonal"] = view.kind == "xl" and slot in "bd"  # equal distances lie on a diagonal
    on = " + ".join(term for term in TERMS if term not in view.off) or "0"
    score = words["map_score_centred" if view.centred else "map_score"].format(sum=on)
    named.append({"slot": "score", "name": "score", "title": score, "note": words["map_score_note"]})
    named.append({"slot": "weights", "name": "weights", "title": words["map_weights"], "note": words["map_weights_note"]})
    return named


def _unnamed(term: str, number: int, revealed: bool) -> dict[str, Any]:
    words = labels()
    title = words["map_unnamed"].format(n=number)
    if not revealed:
        return {"name": term, "title": title, "note": words["map_unnamed_note"]}
    return {"name": term, "title": f"{title}: ({term}) {words[f'xl_{term}']}", "note": words[f"xl_{term}_note"], "colour": term}


def _digest(data: bytes) -> str:
    return hashlib.blake2b(data, digest_size=8).hexdigest()
