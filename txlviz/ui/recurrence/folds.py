"""Recurrence and memory, folded: an RNN beside the Transformer-XL, and the memory beside a cache of keys and values."""

from __future__ import annotations

import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from txlviz.analysis import recurrence_graph as graphs
from txlviz.analysis.kv_cache import CutComparison, cached_projections, compare_cuts
from txlviz.figures import kv_cache as kv_figure
from txlviz.figures.recurrence_graph import graph
from txlviz.ui import models, session
from txlviz.ui.chart import chart
from txlviz.ui.recurrence.words import inks, prose, size, words

TOKENS = 256
"""Of a text, so many are compared: one token a step takes a step for each."""
_N, _L, _M, _SEGMENTS = 2, 4, 4, 4  # of the drawing


def rnn() -> None:
    """Two small graphs, and the shortest ways through them."""
    with st.expander(prose("rnn_title"), key="fold_rnn", on_change="rerun") as fold:
        if not fold.open:
            return
        labels = words("labels")
        xl = graphs.transformer_xl(_N, _L, _M, _SEGMENTS)
        within = graphs.rnn(_N, xl.places)
        last = (_N, xl.places - 1)
        reached = xl.ancestors(last)
        oldest = min(place for layer, place in reached if layer == 0)
        ways = within.path((0, 0), last), xl.path((0, oldest), last)
        st.markdown(prose("rnn", rnn_steps=len(ways[0]), xl_steps=len(ways[1]), oldest=oldest))
        left, right = st.columns(2, gap="medium")
        with left:
            drawn, facts = graph(within.edges, ways[0], within.ancestors(last), (0,), colour=inks().ink, name="state")
            chart(drawn, facts, title=labels["rnn_graph"], name="rnn", alt=labels["rnn_alt"], key="rnn_graph")
        with right:
            starts = range(0, xl.places, _L)
            drawn, facts = graph(xl.edges, ways[1], reached, starts, colour=inks().xl, name="hidden state")
            chart(drawn, facts, title=labels["xl_graph"], name="transformer-xl", alt=labels["xl_alt"], key="xl_graph")


class KeyValueCache:
    """The fold. ``draw`` where it shall stand; ``finish`` at the end of the page's script: the cuts take a second or two."""

    def __init__(self, settings: session.Settings) -> None:
        self._settings = settings
        self._place: DeltaGenerator | None = None

    def draw(self) -> None:
        """The fold with its control, and room for what is computed later."""
        labels, M = words("labels"), self._settings.memory_length
        with st.expander(prose("kv_title"), key="fold_kv", on_change="rerun") as fold:
            if not fold.open:
                return
            self._above = st.container()
            options = sorted({0, 16, 64, M})
            if st.session_state.get("kept_rows") not in options:
                st.session_state["kept_rows"] = M if self._settings.segment_length > M else 16
            self._kept = st.segmented_control(
                labels["kept"],
                options,
                format_func=lambda m: labels["page_M"].format(M=m) if m == M else str(m),
                required=True,
                key="kept_rows",
                persist_state="session",
            )
            self._place = st.empty()

    def finish(self) -> None:
        """Reads the text in each cut, and draws what came out."""
        if self._place is None:
            return
        settings = self._settings
        model = models.checkpoint(settings.preset, "xl")
        whole = len(model.encode(settings.text)) + 1
        L, T = settings.segment_length, min(whole, TOKENS + 1)
        lengths = tuple(length for length in dict.fromkeys((1, 7, max(2, L // 2), L)) if length == 1 or length < T)
        bar = self._place

        def tell(share: float) -> None:
            bar.progress(share, words("labels")["comparing"])

        options = {"limit": TOKENS, "unkeyed": {"progress": tell}}
        all_kept = models.remembered(compare_cuts, model, settings.text, tuple((length, T) for length in lengths), **options)
        fewer = models.remembered(compare_cuts, model, settings.text, ((L, self._kept),), **options)
        projected = models.remembered(cached_projections, model, settings.text, L, limit=TOKENS)
        with self._above:
            st.markdown(prose("kv", size=all_kept.size))
            if all_kept.left_out:
                st.markdown(prose("kv_cut_short", used=TOKENS, left_out=all_kept.left_out))
            st.table(_cuts(all_kept), border="horizontal", hide_index=True)
        with self._place.container():
            _smaller(fewer)
            config = model.config
            ratio = 2 * config.n_heads * config.d_head / config.d_model
            st.markdown(prose("kv_new", projected=size(projected), ratio=ratio))


def _cuts(found: CutComparison) -> pd.DataFrame:
    labels = words("labels")
    return pd.DataFrame(
        {
            labels["cuts"]: [
                labels["cut_one"] if cut.segment_length == 1 else labels["cut_of"].format(L=cut.segment_length)
                for cut in found.cuts
            ],
            labels["segments"]: [f"{cut.segments}" for cut in found.cuts],
            labels["rows"]: [labels["rows_all"]] * len(found.cuts),
            labels["largest"]: [size(cut.largest) for cut in found.cuts],
        }
    )


def _smaller(found: CutComparison) -> None:
    """The cut with fewer rows, token by token."""
    cut = found.cuts[0]
    L, M = cut.segment_length, cut.memory_length
    differ = cut.logits > kv_figure.ROUNDING
    if not differ.any():
        st.markdown(prose("kv_no_change", L=L, M=M, largest=size(cut.largest)))
        return
    same = int(differ.argmax())
    change = float(cut.losses[same:].mean()) if same < len(cut.losses) else 0.0
    st.markdown(prose("kv_smaller", L=L, M=M, largest=size(cut.largest), same=same, change=change))
    labels = words("labels")
    drawn, facts = kv_figure.by_token(found.inputs, cut.losses, range(0, len(found.inputs), L), inks().xl)
    chart(drawn, facts, title=labels["kv_chart"].format(M=M), name="fewer-rows", alt=labels["kv_alt"], key="kv_tokens")
