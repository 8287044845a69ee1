"""What the patterns and the small cones of the Landscape page draw: arrays in, bytes and short strings out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from txlviz.figures.colours import CIVIDIS, DIVERGING_DARK, DIVERGING_LIGHT, table
from txlviz.figures.payload import pack

Mask = npt.NDArray[np.bool_]
Values = npt.NDArray[np.floating[Any]]
Kinds = npt.NDArray[np.uint8]

HIDDEN, NEAR, FAR, EVERYWHERE = range(4)
"""What a key is to a query: not seen; in its segment or window; seen besides; seen by all, or seeing all."""


def kinds(seen: Mask, near: Mask, everywhere: int = 0) -> Kinds:
    """Tells apart what a mask shows.

    Args:
        seen: (T, T) query by key.
        near: (T, T) the segment or window; what is seen outside it is ``FAR``.
        everywhere: so many of the first places are global: what they see, and what is seen of them.
    """
    made = np.where(seen & near, NEAR, np.where(seen, FAR, HIDDEN)).astype(np.uint8)
    at = np.arange(len(seen))
    glob = (at[:, None] < everywhere) | (at[None, :] < everywhere)
    made[seen & glob & ~(np.asarray(near) & seen)] = EVERYWHERE
    return made


def pattern(
    header: Mapping[str, Any],
    *,
    kinds: Kinds,
    cone: Mask | None = None,
    values: Values | None = None,
    signed: bool = False,
) -> bytes:
    """One pattern for the browser.

    Args:
        header: its words, tokens and colours; plain values.
        kinds: (T, T) query by key, see ``kinds``.
        cone: (N + 1, T) what can reach the selected place; row 0 holds the inputs.
        values: (T, T) weights (0 to 1), or with ``signed`` numbers of both signs; None draws the mask.
    """
    arrays: dict[str, npt.NDArray[Any]] = {"kinds": np.ascontiguousarray(kinds, dtype=np.uint8)}
    if cone is not None:
        arrays["cone"] = np.ascontiguousarray(cone, dtype=np.uint8)
    if values is not None:
        arrays["values"] = np.ascontiguousarray(values, dtype=np.float32)
        stops = {"light": DIVERGING_LIGHT, "dark": DIVERGING_DARK} if signed else {"light": CIVIDIS, "dark": CIVIDIS}
        for scheme, colours in stops.items():
            arrays[f"table_{scheme}"] = table(colours).ravel()
    shown = "mask" if values is None else "signed" if signed else "weights"
    return pack({**header, "shown": shown}, arrays)


def limit(values: Sequence[Values], least: float = 0.1) -> float:
    """The end of a signed scale that maps share: the 99.5th percentile of the sizes, rounded up to two digits that count."""
    sizes = np.concatenate([np.abs(one[np.isfinite(one)]).ravel() for one in values] or [np.zeros(1)])
    end = max(least, float(np.quantile(sizes, 0.995)) if len(sizes) else least)
    step = 10.0 ** (np.floor(np.log10(end)) - 1)
    return float(np.round(np.ceil(end / step - 1e-9) * step, 6))


def rows(cone: Mask) -> list[str]:
    """A cone as one string of 0 and 1 for each row, the top layer first."""
    return ["".join("1" if one else "0" for one in row) for row in cone[::-1]]
