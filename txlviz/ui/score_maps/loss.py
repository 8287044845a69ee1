"""What the terms that are off were worth: losses with them and without, both computed by the model."""

from __future__ import annotations

from txlviz.analysis.trace import Trace
from txlviz.ui.score_maps.labels import labels


def sentence(ordinary: Trace, changed: Trace, place: int, off: tuple[str, ...], layer: int | None) -> str:
    """The losses over the text and of the token after ``place``. Holds no typed text, so it may be shown as Markdown.

    Args:
        layer: where the terms are off, from 0; None for all layers.
    """
    words = labels()
    where = words["all_layers"] if layer is None else words["one_layer"].format(layer=layer + 1)
    terms = ", ".join(f"({term})" for term in off)
    said = words["loss_mean"].format(
        terms=terms, where=where, **_numbers(float(ordinary.losses.mean()), float(changed.losses.mean()))
    )
    if place < len(changed.losses):  # nothing comes after the last token
        said += " " + words["loss_here"].format(**_numbers(float(ordinary.losses[place]), float(changed.losses[place])))
    return said


def without(off: tuple[str, ...], layer: int | None) -> str:
    """What was changed, for captions; empty where nothing was."""
    if not off:
        return ""
    words = labels()
    where = words["all_layers"] if layer is None else words["one_layer"].format(layer=layer + 1)
    return words["changed"].format(terms=", ".join(f"({term})" for term in off), where=where)


def _numbers(before: float, after: float) -> dict[str, str]:
    size = f"{abs(after - before):.3f}"
    sign = "" if float(size) == 0 else "−" if after < before else "+"
    return {"before": f"{before:.3f}", "after": f"{after:.3f}", "change": sign + size}
