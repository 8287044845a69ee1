"""What the figure says in a sentence or two, as long as nobody points at a node."""

from __future__ import annotations

from txlviz.analysis.change_by_token import ChangeByToken
from txlviz.analysis.gradients import Gradients
from txlviz.ui.cone.facts import Facts
from txlviz.ui.cone.labels import labels

_SUPERSCRIPT = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


def reaches(known: Facts) -> str:
    """The furthest token that can reach the selected one."""
    words = labels()
    distance = known.place - known.furthest
    said = words["reach_facts"].format(token=known.tokens[known.furthest], back=_back(distance), layers=known.n_layers)
    if distance == known.span:
        return said
    return f"{said} {words['reach_short'].format(span=known.span)}"


def _back(distance: int) -> str:
    words = labels()
    return words["one_back"] if distance == 1 else words["back"].format(distance=f"{distance:,}")


def size(value: float) -> str:
    """Two digits; small numbers by their power of ten, as the browser writes them."""
    if value >= 0.001:
        return f"{value:.2g}"
    digits, exponent = f"{value:.1e}".split("e-")
    return f"{digits}·10⁻{str(int(exponent)).translate(_SUPERSCRIPT)}"


def changed(known: Facts, replaced: int, top: float) -> str:
    """``top`` is the change of the selected token's last hidden state by the token that was replaced."""
    words = labels()
    where = {"token": known.tokens[known.place], "back": _back(known.place - replaced)}
    if top > 0:
        return words["change_facts"].format(**where, change=size(top))
    reached = known.reach[0, replaced]
    return words["change_facts_small" if reached else "change_facts_none"].format(**where)


def gradient(known: Facts, found: Gradients) -> str:
    """The loss, and how many of the inputs before the segment get gradient from it."""
    before = int((found.size[0, : known.start] > 0).sum())
    key = "gradient_facts_first" if known.start == 0 else "gradient_facts" if before else "gradient_facts_none"
    return labels()[key].format(segment=known.segment + 1, loss=f"{found.loss:.2f}", before=before, start=known.start)


def each_replaced(known: Facts, found: ChangeByToken) -> str:
    """By what, with which result, and whether all were."""
    words = labels()
    one, other = found.replacements
    said = [words["strip_facts"].format(count=len(found.places), one=one, other=other), _agreement(known, found)]
    shown = known.place - known.shown.first
    if len(found.places) < shown:
        said.append(words["strip_sampled"].format(all=shown))
    return " ".join(said)


def _agreement(known: Facts, found: ChangeByToken) -> str:
    """How the measured changes agree with what can reach."""
    words = labels()
    can = known.reach[0, list(found.places)]
    changed = found.size[-1] > 0
    said = words["strip_agrees"].format(token=known.tokens[known.place], changed=int((changed & can).sum()), can=int(can.sum()))
    if can.all():
        return said
    outside = words["strip_disagrees" if changed[~can].any() else "strip_outside"]
    return f"{said} {outside.format(outside=int((~can).sum()))}"
