"""Table 6 of the paper (Dai et al. 2019), WikiText-103: quoted, not measured here."""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd

from txlviz.ui.landscape.words import label


@dataclass(frozen=True)
class PaperRow:
    """One model of the table."""

    model: str
    recurrence: bool
    encoding: str
    half: bool
    initial: float | None
    """Perplexity with the attention length of training; None: the line above holds it, of the same model."""
    best: float
    length: int
    """Attention length in evaluation that gives ``best``."""
    row: str | None
    """The row of our own table that stands beside it; None: we have no such run."""


TABLE_6 = (
    PaperRow("128M", True, "Ours", False, 27.02, 26.77, 500, "xl-recurrent"),
    PaperRow("128M", True, "Shaw et al. (2018)", False, 27.94, 27.94, 256, "shaw-recurrent"),
    PaperRow("128M", True, "Ours", True, 28.69, 28.33, 460, "xl-recurrent"),
    PaperRow("128M", False, "Ours", False, 29.59, 29.02, 260, "xl"),
    PaperRow("128M", False, "Ours", True, 30.10, 30.10, 120, "xl"),
    PaperRow("128M", False, "Shaw et al. (2018)", False, 29.75, 29.75, 120, "shaw"),
    PaperRow("128M", False, "Shaw et al. (2018)", True, 30.50, 30.50, 120, "shaw"),
    PaperRow("128M", False, "Vaswani et al. (2017)", True, 30.97, 30.97, 120, "sinusoids"),
    PaperRow("Transformer, 128M", False, "Al-Rfou et al. (2018)", True, 31.16, 31.16, 120, None),
    PaperRow("151M", True, "Ours", False, 23.43, 23.09, 640, None),
    PaperRow("151M", True, "Ours", False, None, 23.16, 450, None),
    PaperRow("151M", True, "Ours", False, None, 23.35, 300, None),
)


def table() -> pd.DataFrame:
    """Its numbers as the paper prints them; recurrence, encoding and loss in one column, so that a telephone shows all."""
    rows = [
        [
            f"{label('tick' if one.recurrence else 'cross')} {one.encoding}, {label('half' if one.half else 'whole')}"
            + (f" ({one.model})" if one.row is None else ""),
            "" if one.initial is None else f"{one.initial:.2f}",
            f"{one.best:.2f}",
            str(one.length),
        ]
        for one in TABLE_6
    ]
    return pd.DataFrame(rows, columns=[label(f"paper_{head}") for head in ("row", "initial", "best", "length")])


def lower(row: str, half: bool, than: str, than_half: bool) -> float:
    """By how many percent one model's perplexity is lower than another's."""
    found = {(one.row, one.half): one.initial for one in TABLE_6 if one.row and one.initial is not None}
    return 100 * (1 - found[row, half] / found[than, than_half])


def best_loss(row: str) -> str:
    """``half`` or ``full``: the loss with which a model of the table is best, or the only one that it has."""
    known = {one.half: one.initial for one in TABLE_6 if one.row == row and one.initial is not None}
    return "half" if min(known, key=known.__getitem__) else "full"
