"""Generation: cached equals uncached, and what is drawn can be drawn again."""

from __future__ import annotations

from itertools import islice
from pathlib import Path

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

import txlviz
from tests.analysis.small import TEXT, checkpoint
from txlviz.checkpoint import Checkpoint
from txlviz.data import segments
from txlviz.generation import GREEDY, Sampling, generate, pieces, stream

ROOT = Path(__file__).parents[2]
TIE = 1e-4


@torch.inference_mode()
def uncached(model: Checkpoint, ids: list[int], n_prompt: int, L: int, M: int) -> torch.Tensor:
    """(step, V) logits of the same cut, prompt in segments of L, then ones, from the start, out of memories alone.

    A causal model gives each step of one pass what a pass up to that step would give it.
    """
    xl = model.model.with_mem_len(M)
    prompt, rest = torch.tensor([ids[:n_prompt]]), torch.tensor([ids[n_prompt:-1]])
    memory, last = (), []
    for piece in [*segments(prompt, L), *([] if rest.shape[1] == 0 else rest.split(1, dim=1))]:
        out = xl(piece, memory or None)
        memory = out.memory
        last.append(out.hidden[0, -1])
    return xl.logits(torch.stack(last[-(len(ids) - n_prompt) :]))


def expect_equal(model: Checkpoint, prompt: str, L: int, M: int, tokens: int) -> None:
    steps = list(islice(stream(model, prompt, segment_length=L, memory_length=M), tokens))
    before = [model.tokenizer.newline, *model.encode(prompt)]
    logits = uncached(model, before + [step.token for step in steps], len(before), L, M)
    assert len(logits) == tokens
    for step, expected in zip(steps, logits, strict=True):
        torch.testing.assert_close(step.logits, expected, atol=2e-4, rtol=1e-4)
        first, second = expected.topk(2).values.tolist()
        assert step.token == int(expected.argmax()) or first - second < TIE


@settings(max_examples=12, deadline=None)
@given(length=st.integers(1, 200), L=st.integers(1, 40), M=st.integers(0, 90))
def test_cached_is_uncached_for_300_greedy_tokens(length: int, L: int, M: int) -> None:
    model = checkpoint("xl")
    ids = (model.encode(TEXT) * 4)[:length]
    expect_equal(model, model.decode(ids), L, M, 300)


@pytest.mark.parametrize(
    ("preset", "length", "M"), [("wikitext2-2l", 1, 256), ("wikitext2-2l", 200, 64), ("wikitext2-4l", 77, 100)]
)
def test_the_shipped_models_too(preset: str, length: int, M: int) -> None:
    model = txlviz.load(ROOT / "checkpoints" / preset / "xl")
    expect_equal(model, model.decode(model.encode("The river runs past the old mill. " * 30)[:length]), 64, M, 300)


def test_the_vanilla_model_reads_its_window_anew() -> None:
    model = checkpoint("vanilla")
    steps = list(islice(stream(model, TEXT, segment_length=16), 5))
    ids = [model.tokenizer.newline, *model.encode(TEXT)]
    for step in steps:
        with torch.inference_mode():
            expected = model.model.logits(model.model(torch.tensor([ids[-16:]])).hidden[0, -1])
        torch.testing.assert_close(step.logits, expected)
        assert step.token == int(expected.argmax())
        ids.append(step.token)


@pytest.mark.parametrize(("length", "L", "pauses"), [(1, 8, 0), (7, 8, 0), (8, 8, 1), (60, 8, 7), (60, 64, 0)])
def test_a_long_prompt_can_be_left_between_its_segments(length: int, L: int, pauses: int) -> None:
    model = checkpoint("xl")
    prompt = model.decode((model.encode(TEXT) * 4)[:length])
    found = list(islice(pieces(model, prompt, segment_length=L, memory_length=9), pauses + 5))
    assert found[:pauses] == [None] * pauses
    steps = list(islice(stream(model, prompt, segment_length=L, memory_length=9), 5))
    assert [step.token for step in found[pauses:] if step] == [step.token for step in steps]
    assert not torch.is_inference_mode_enabled()


@pytest.mark.parametrize("kind", ["xl", "vanilla"])
def test_the_same_seed_draws_the_same_text(kind: str) -> None:
    model = checkpoint(kind)
    one, again, other = (generate(model, "the river", 30, seed=seed) for seed in (1, 1, 2))
    assert one == again
    assert one != other


def test_generate_gives_the_continuation_only() -> None:
    model = checkpoint("xl")
    made = generate(model, "the river", 12, sampling=GREEDY)
    tokens = [step.token for step in islice(stream(model, "the river"), 12)]
    assert made == model.decode(tokens)
    assert generate(model, "the river", 0) == ""
    assert len(generate(model, "", 3)) > 0


def test_what_does_not_fit_is_said_at_once() -> None:
    with pytest.raises(ValueError, match="segment length"):
        stream(checkpoint("xl"), "x", segment_length=0)
    with pytest.raises(ValueError, match="no memory"):
        stream(checkpoint("vanilla"), "x", memory_length=4)
    with pytest.raises(ValueError, match="at least 0"):
        generate(checkpoint("xl"), "x", -1)
    with pytest.raises(ValueError, match=r"surrogate|encoded"):
        generate(checkpoint("xl"), "\ud800", 1)


def test_steps_are_timed() -> None:
    steps = list(islice(stream(checkpoint("xl"), "the", sampling=Sampling(1.0)), 3))
    assert all(0 < step.seconds < 60 for step in steps)
