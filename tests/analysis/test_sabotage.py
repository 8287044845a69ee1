"""One swapped token: inside the span every later loss may change, outside none does, bit for bit."""

from __future__ import annotations

import numpy as np
import pytest
import torch

import txlviz
from tests.analysis.small import TEXT, checkpoint
from txlviz.analysis.sabotage import losses_with, replacement, returning, sabotage

L = 16


def test_the_losses_are_those_of_the_trace():
    model = checkpoint("xl")
    found = losses_with(model, TEXT, L, 8)
    assert np.isnan(found[0])
    np.testing.assert_allclose(found[1:], txlviz.trace(model, TEXT, L, 8, record=[]).losses, atol=1e-5)


@pytest.mark.parametrize("place", [0, 5, 15, 16, 31])
@pytest.mark.parametrize(("kind", "M"), [("vanilla", 0), ("xl", 0), ("xl", 1), ("xl", 16)])
def test_what_can_change_does_and_nothing_else(kind, M, place):
    model = checkpoint(kind, n_layers=2)
    ids = model.inputs(TEXT)
    found = sabotage(model, TEXT, L, M, place=place, token=(ids[place] + 7) % model.tokenizer.vocab_size)
    reader = np.arange(1, len(ids)) - 1  # the place from which each token is predicted
    segment = reader // L
    if M == 0:
        reached = segment == place // L
    else:
        span = txlviz.memory_span(2, L, M)[-1]
        reached = reader - place <= span[reader % L]
    reached = np.concatenate([[False], reached & (reader >= place)])
    assert not found.changed[~reached].any()
    # With M = 1 the path leads through single rows, and float32 may round a change away.
    assert found.changed[reached].mean() > (0.4 if M == 1 else 0.9)
    assert np.isnan(found.change[: place + 1]).all()
    assert not np.isnan(found.change[place + 1 :]).any()
    assert ((found.change != 0) & ~np.isnan(found.change)).sum() == found.changed.sum()


def test_the_swapped_text_is_what_is_scored():
    model = checkpoint("xl")
    ids = model.inputs(TEXT)
    found = sabotage(model, TEXT, L, 16, place=20, token=300)
    other = [*ids[:20], 300, *ids[21:]]
    out = model.model.with_mem_len(16)
    memory, losses = None, []
    with torch.inference_mode():
        for start in range(0, len(other) - 1, L):
            piece = torch.tensor([other[start : min(start + L, len(other) - 1)]])
            made = out(piece, memory)
            memory = made.memory
            losses.append(out.token_losses(made.hidden, torch.tensor([other[start + 1 : start + 1 + piece.shape[1]]]))[0])
    np.testing.assert_allclose(found.after[1:], torch.cat(losses).numpy(), atol=1e-5)


def test_the_replacement_is_another_token_of_the_same_kind():
    model = checkpoint("xl")
    ids, shown = model.inputs(TEXT), model.tokenizer.show(model.inputs(TEXT))
    place = next(at for at, token in enumerate(shown) if token.startswith("␣") and len(token) > 1)
    assert replacement(model, TEXT, place, "mill") == next(one for one in model.encode(" mill") if one != ids[place])
    first = next(at for at, token in enumerate(shown) if at and not token.startswith("␣"))
    assert replacement(model, TEXT, first, "mill") == next(one for one in model.encode("mill") if one != ids[first])
    shipped = txlviz.load("checkpoints/wikitext2-4l/xl")
    assert shipped.decode([replacement(shipped, "a river", 2, "<b>")]).strip() == "<"  # a space by itself says nothing
    for at in range(len(ids)):
        for word in ("the", "river", ".", "", " ", "\n", "é"):
            assert replacement(model, TEXT, at, word) != ids[at]
            assert 0 <= replacement(model, TEXT, at, word) < model.tokenizer.vocab_size


def test_a_name_that_returns_is_swapped_first():
    model = txlviz.load("checkpoints/wikitext2-4l/xl")
    text = (
        "The letter was sent by Mary Dow in May. The mayor read it. "
        + "It was the end of the road. " * 3
        + "Then came Mary Dow."
    )
    shown = model.tokenizer.show(model.inputs(text))
    place = returning(model, text, 32)
    assert shown[place] == "␣D"
    assert shown[place + 1] == "ow"
    assert returning(model, "one", 32) == 1
    without = "the river ran by the mill and then the river went on and on to the old town by the river"
    assert model.tokenizer.show(model.inputs(without))[returning(model, without, 8)] != "↵"


def test_what_makes_no_sense():
    model = checkpoint("xl")
    with pytest.raises(ValueError, match="no place"):
        sabotage(model, TEXT, L, 16, place=9999, token=3)
    with pytest.raises(ValueError, match="no token"):
        sabotage(model, TEXT, L, 16, place=3, token=99999)
    with pytest.raises(ValueError, match="empty"):
        losses_with(model, "", L, 16)
    with pytest.raises(ValueError, match="no place"):
        replacement(model, TEXT, -1, "the")
