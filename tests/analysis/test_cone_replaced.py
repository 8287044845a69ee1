"""Replaced tokens change what can be reached, and not one bit of what can't."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import txlviz
from tests.analysis.random_model import checkpoint, text_of
from txlviz import memory_span
from txlviz.analysis import change_by_token as by_token
from txlviz.analysis.change_by_token import change_by_token, evenly
from txlviz.analysis.reach import reachable
from txlviz.analysis.replaced import changes

ROOT = Path(__file__).parents[2]
STORY = "The river rises in the hills, and the old mill beside it was built by Thomas Calder. The river is wide. " * 6


@pytest.mark.parametrize("M", [0, 3, 4, 8, 12, 20])
@pytest.mark.parametrize("L", [4, 8, 12])
def test_replacing_agrees_with_reachability(L: int, M: int) -> None:
    """Memories full; inside any bit differs, outside none: at the border, beyond it and in between."""
    for N in range(1, 7):
        span = memory_span(N, L, M)[-1]
        total = (int(span.max()) // L + 2) * L
        model, text = checkpoint(n_layers=N), text_of(total)
        p = (3 * N + M) % L
        place = total - L + p
        border = place - int(span[p])
        tried = {0, border - 2, border - 1, border, border + 1, (border + place) // 2, place - 1, place}
        places = sorted(tried & set(range(place + 1)))
        found = change_by_token(model, text, L, M, place=place, replaced=places)
        for layer in range(N):
            reach = reachable(layer + 1, L, M, place, total)[0, places]
            np.testing.assert_array_equal(found.size[layer] > 0, reach, err_msg=f"{(N, L, M, p, layer)}")


@pytest.mark.parametrize(("kind", "L", "M"), [("xl", 4, 3), ("xl", 4, 0), ("xl", 3, 8), ("vanilla", 4, 0)])
def test_every_hidden_state_agrees_with_reachability(kind: str, L: int, M: int) -> None:
    model, total, N = checkpoint(kind), 23, 3
    for place in (0, 5, 13, 22):
        found = changes(model, text_of(total), L, M, replaced=place)
        assert found.size.shape == (N + 1, total)
        expected = np.zeros_like(found.size, dtype=bool)
        expected[0, place] = True
        for n in range(1, N + 1):
            expected[n] = [reachable(n, L, M, i, total)[0, place] for i in range(total)]
        np.testing.assert_array_equal(found.size > 0, expected)


def test_same_length_is_read_with_its_own_masks() -> None:
    model = checkpoint(same_length=True)
    found = change_by_token(model, text_of(40), 4, 6, place=38)
    np.testing.assert_array_equal(found.size[-1] > 0, reachable(3, 4, 6, 38, 40, same_length=True)[0, :39])


@pytest.mark.parametrize("kind", ["xl", "vanilla"])
def test_both_ways_measure_the_same(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """One token in one text, or many in a batch, whatever the batch's size and the number of workers."""
    model, text, place = checkpoint(kind), text_of(41), 37
    M = 8 if kind == "xl" else 0
    runs = [changes(model, text, 8, M, replaced=at, until=place + 1) for at in range(place + 1)]
    single = np.stack([run.size[1:, place] for run in runs], axis=1)
    assert (single[-1] > 0).any()
    for tokens, workers in ((8, 1), (64, 2), (512, 1)):
        monkeypatch.setattr(by_token, "_TOKENS_AT_ONCE", tokens)
        found = change_by_token(model, text, 8, M, place=place, workers=workers)
        assert found.places == tuple(range(place + 1))
        np.testing.assert_allclose(found.size, single, rtol=1e-9)


@pytest.mark.parametrize("kind", ["xl", "vanilla"])
@pytest.mark.parametrize("preset", ["wikitext2-2l", "wikitext2-4l"])
def test_the_shipped_models_agree(preset: str, kind: str) -> None:
    model = txlviz.load(ROOT / "checkpoints" / preset / kind)
    for L, M in ((8, 8), (16, 3), (16, 24)):
        M = M if kind == "xl" else 0
        total = len(model.encode(STORY)) + 1
        place = total - 5
        found = change_by_token(model, STORY, L, M, place=place, replaced=range(0, place + 1, 3))
        reach = reachable(model.config.n_layers, L, M, place, total)[0, list(found.places)]
        assert not found.size[:, ~reach].any()
        assert (found.size[-1, reach] > 0).mean() > 0.9, "float32 may round a tiny change away"


def test_the_change_is_relative_and_the_replacement_is_told() -> None:
    model = checkpoint("xl", 2)
    ids = [model.tokenizer.newline, *model.encode(text_of(20))]
    the, of = (model.encode(word)[0] for word in (" the", " of"))
    for place in (ids.index(the), next(at for at, one in enumerate(ids) if one != the)):
        found = changes(model, text_of(20), 8, 8, replaced=place)
        other = of if ids[place] == the and of != the else (the + 1) % model.tokenizer.vocab_size if ids[place] == the else the
        assert found.replacement == model.tokenizer.show([other])[0]
        table = model.model.embedding.weight.detach().numpy()
        expected = np.linalg.norm(table[other] - table[ids[place]]) / np.linalg.norm(table[ids[place]])
        assert found.size[0, place] == pytest.approx(expected)


def test_progress_grows_to_one_and_may_end_the_work() -> None:
    model, told = checkpoint("xl", 2), []
    change_by_token(model, text_of(64), 8, 8, place=60, progress=told.append)
    assert told == sorted(told)
    assert told[-1] == 1.0

    class Enough(BaseException):
        pass

    def stop(share: float) -> None:
        if share > 0.3:
            raise Enough

    with pytest.raises(Enough):
        change_by_token(model, text_of(64), 8, 8, place=60, progress=stop, workers=2)


def test_places_are_evenly_spread() -> None:
    assert evenly(3, 7, 100) == (3, 4, 5, 6, 7)
    assert evenly(0, 100, 5) == (0, 25, 50, 75, 100)
    assert len(evenly(0, 1999, 256)) == 256
    assert evenly(4, 4, 256) == (4,)


@pytest.mark.parametrize("place", [-1, 20])
def test_places_outside_the_text_are_refused(place: int) -> None:
    model, text = checkpoint("xl", 1), text_of(20)
    with pytest.raises(ValueError, match="no place"):
        changes(model, text, 8, 8, replaced=place)
    with pytest.raises(ValueError, match="no place"):
        change_by_token(model, text, 8, 8, place=10, replaced=[place])
    with pytest.raises(ValueError, match="no place"):
        change_by_token(model, text, 8, 8, place=place)
