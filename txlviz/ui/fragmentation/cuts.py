"""The cut that moves: losses of the one that is set at once, those of all others after the page is drawn."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import streamlit as st

from txlviz import Checkpoint
from txlviz.analysis.cuts import losses_by_cut, segment_starts
from txlviz.ui import models, session
from txlviz.ui.fragmentation.words import labels
from txlviz.ui.session import Settings

Losses = npt.NDArray[np.float32]

_TABLES = "losses_by_cut"
_TOKENS_A_PIECE = 2_048  # about 0.2 s of one model: a moved slider doesn't wait for more


@dataclass(frozen=True)
class Reading:
    """The text read by both models, with the cut that is set, and what is known of the others."""

    inputs: tuple[str, ...]
    """A newline and the text's tokens, as people read them."""
    L: int
    M: int
    cut: int
    """Inputs in the first segment; 0 stands for L."""
    xl: Losses
    """(token,) nats with this cut."""
    vanilla: Losses
    tables: dict[str, Losses]
    """``xl`` and ``vanilla``: (cut, token) nats; rows that aren't known yet hold NaN."""

    @property
    def starts(self) -> list[int]:
        """Places where segments start; the last input is a target only."""
        return segment_starts(len(self.inputs) - 1, self.L, self.cut)

    @property
    def known(self) -> npt.NDArray[np.bool_]:
        """(cut,) which of them both models have read."""
        return ~(np.isnan(self.tables["xl"][:, 0]) | np.isnan(self.tables["vanilla"][:, 0]))

    @property
    def complete(self) -> bool:
        """Whether all cuts are known."""
        return bool(self.known.all())

    def positions(self, token: int) -> list[int]:
        """For each cut, the position in its segment from which a token (from 0) is predicted."""
        n = len(self.inputs) - 1
        return [token - max(start for start in segment_starts(n, self.L, cut) if start <= token) for cut in range(self.L)]

    @property
    def spread(self) -> tuple[float, float, int]:
        """Largest minus smallest loss over all cuts, mean over the tokens: vanilla, Transformer-XL; and how many tokens.

        Tokens of the first L places are left out where there are others: some cuts leave them in the first segment.
        """
        first = self.L if len(self.xl) > self.L else 0
        vanilla, xl = (float(np.ptp(self.tables[kind][:, first:], axis=0).mean()) for kind in ("vanilla", "xl"))
        return vanilla, xl, len(self.xl) - first


def control(L: int) -> int:
    """The slider of the cut, 0 to L - 1, kept in the address."""
    options = range(L)
    if "cut" not in st.session_state or session.went_back():
        st.session_state["cut"] = session.read("cut", options, 0)
    # Only where it must be: a value that is written goes back to the slider, and undoes what is pressed meanwhile.
    if not 0 <= st.session_state["cut"] < L:
        st.session_state["cut"] = min(max(int(st.session_state["cut"]), 0), L - 1)
    words = labels()
    cut = st.slider(words["cut"], 0, L - 1, key="cut", persist_state="session", help=words["help_cut"])
    cut = min(max(int(cut), 0), L - 1)
    session.write("cut", cut, 0)
    return cut


def inputs(settings: Settings) -> tuple[str, ...]:
    """A newline and the text's tokens, as people read them."""
    source = models.checkpoint(settings.preset, "xl")
    return tuple(source.tokenizer.show(source.inputs(settings.text)))


def read(settings: Settings, cut: int) -> Reading:
    """Runs both models with this cut, if that isn't known."""
    shown = inputs(settings)
    tables = _tables(settings, len(shown) - 1)
    for kind in ("xl", "vanilla"):
        if np.isnan(tables[kind][cut, 0]):
            tables[kind][cut] = _losses(settings, kind, (cut,))[0]
    xl, vanilla = tables["xl"][cut], tables["vanilla"][cut]
    return Reading(shown, settings.segment_length, settings.memory_length, cut, xl, vanilla, tables)


def fill(settings: Settings, reading: Reading, seconds: float) -> None:
    """Reads the text with other cuts, piece by piece, until ``seconds`` are over or all are known."""
    ends = time.monotonic() + seconds
    for piece in _pieces(reading.L, len(reading.xl)):
        for kind in ("vanilla", "xl"):
            table = reading.tables[kind]
            if np.isnan(table[list(piece), 0]).any():
                table[list(piece)] = _losses(settings, kind, piece)
                if time.monotonic() > ends:
                    return


def _losses(settings: Settings, kind: models.Kind, offsets: Sequence[int]) -> Losses:
    source: Checkpoint = models.checkpoint(settings.preset, kind)
    rows = settings.memory_length if kind == "xl" else 0
    return models.remembered(losses_by_cut, source, settings.text, settings.segment_length, rows, offsets=tuple(offsets))


def _pieces(L: int, n_tokens: int) -> list[tuple[int, ...]]:
    """All cuts in pieces of about ``_TOKENS_A_PIECE``, each spread over the whole range."""
    count = -(-L // max(1, _TOKENS_A_PIECE // n_tokens))
    return [tuple(range(first, L, count)) for first in range(count)]


def _tables(settings: Settings, n_tokens: int) -> dict[str, Losses]:
    """The session's tables for these settings; new ones where a setting has changed."""
    weights = tuple(models.weights_hash(settings.preset, kind) for kind in ("xl", "vanilla"))
    shape = (settings.segment_length, n_tokens)
    held: dict[str, tuple[object, Losses]] = st.session_state.setdefault(_TABLES, {})
    for kind in ("xl", "vanilla"):
        key = (weights, settings.text, shape, settings.memory_length if kind == "xl" else 0)
        if kind not in held or held[kind][0] != key:  # the vanilla model's outlives a change of M
            held[kind] = (key, np.full(shape, np.nan, dtype=np.float32))
    return {kind: table for kind, (_, table) in held.items()}
