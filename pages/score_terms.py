"""Each attention score, split into its four terms."""

import dataclasses

import streamlit as st

from txlviz.ui import models, session, text
from txlviz.ui.score_maps import component, controls, loss, quiz, view
from txlviz.ui.score_maps.labels import labels

settings = session.controls()
text_shown, L, M = settings.text, settings.segment_length, settings.memory_length
model = models.checkpoint(settings.preset, "xl")

with st.container(key="score-opening", horizontal=True, vertical_alignment="center", gap="medium"):
    st.title(text.prose("score_terms", "title"), anchor=False, width="content")
    st.markdown(text.prose("score_terms", "opening"), width="stretch")
choice = controls.draw(model.config.n_layers, model.config.n_heads, len(model.encode(text_shown)) + 1, L)
here = (choice.segment,)
layer = None if choice.everywhere else choice.layer

run = ordinary = models.trace(settings.preset, "xl", text_shown, L, M, here)
if choice.off:
    run = models.trace(settings.preset, "xl", text_shown, L, M, here, choice.off, layer)
    st.markdown(loss.sentence(ordinary, run, choice.place, choice.off, layer))
stripes = None
if choice.quiz:
    st.markdown(text.prose("score_terms", "stripes"))
    stripes = quiz.draw()

shown = view.View(
    kind="xl",
    preset=settings.preset,
    segment=choice.segment,
    layer=choice.layer,
    head=choice.head,
    selected=choice.place,
    heard=component.heard("score_maps"),
    centred=choice.centred,
    off=choice.off,
    changed=loss.without(choice.off, layer),
    quiz=stripes,
)
maps = view.maps(run, shown)
limits = view.limits(maps, shown)

vanilla = None
if choice.vanilla:
    plain = models.trace(settings.preset, "vanilla", text_shown, L, 0, here)
    first = dataclasses.replace(
        shown, kind="vanilla", layer=0, off=(), changed="", quiz=None, heard=component.heard("vanilla_maps")
    )
    vanilla = view.maps(plain, first)
    limits = limits.shared(view.limits(vanilla, first))  # maps that are compared share a scale

component.mount(
    view.block(run, shown, maps, limits), key="score_maps", on_cell=controls.select_cell, on_pick=controls.pick_head
)
if vanilla is not None:
    said = ["vanilla", "vanilla_whole"] if choice.off else ["vanilla"]
    st.markdown(" ".join(text.prose("score_terms", key) for key in said))
    component.mount(
        view.block(plain, first, vanilla, limits),
        key="vanilla_maps",
        on_cell=controls.select_cell,
        on_pick=controls.pick_only_head,
    )
st.markdown(text.prose("score_terms", "meaning"))
with st.expander(labels()["fold"]):
    st.markdown(text.prose("score_terms", "depth"))
