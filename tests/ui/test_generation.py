"""Two streams in turn, and what stands before a short prompt: without Streamlit."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from itertools import islice

import pytest
import torch

from tests.analysis.small import TEXT, checkpoint
from txlviz.analysis.eval_speed import LENGTHS
from txlviz.generation import Sampling, Step, stream
from txlviz.ui import models
from txlviz.ui.generation.filler import filler, library
from txlviz.ui.generation.measuring import Measuring
from txlviz.ui.generation.run import KINDS, Asked, Run
from txlviz.ui.generation.streams import facts


def made(**changes: object) -> Run:
    values: dict[str, object] = {
        "preset": "small",
        "prompt": TEXT,
        "filler": "",
        "filler_tokens": 0,
        "attention_length": 16,
        "segment_length": 8,
        "count": 12,
        "sampling": Sampling(0.7),
        "seed": 3,
        **changes,
    }
    return Run({kind: checkpoint(kind) for kind in KINDS}, Asked(**values))  # type: ignore[arg-type]


def test_the_streams_are_those_of_the_api() -> None:
    run = made(filler="The mill. ")
    while run.status == "running":
        run.advance(0)
    expected = {
        "xl": stream(checkpoint("xl"), "The mill. " + TEXT, segment_length=8, memory_length=16, sampling=Sampling(0.7), seed=3),
        "vanilla": stream(checkpoint("vanilla"), "The mill. " + TEXT, segment_length=16, sampling=Sampling(0.7), seed=3),
    }
    assert run.status == "done"
    for kind, side in run.sides.items():
        assert side.tokens == [step.token for step in islice(expected[kind], 12)]
        assert side.text == side.checkpoint.decode(side.tokens).rstrip("�")
        assert len(side.seconds) == 12
        assert side.steps is None, "the cache is let go"


def test_they_take_turns_and_a_stop_is_at_once() -> None:
    run = made(prompt="river")
    counts = []
    for _ in range(5):
        run.advance(0)
        counts.append(tuple(len(run.sides[kind].tokens) for kind in KINDS))
    assert counts == [(1, 0), (1, 1), (2, 1), (2, 2), (3, 2)]
    run.stop()
    assert run.status == "stopped"
    run.advance(10)
    assert [len(run.sides[kind].tokens) for kind in KINDS] == [3, 2]
    run.stop()
    assert run.status == "stopped"
    heads, rows = facts(run)
    assert len(heads) == 5
    assert [row[0] for row in rows] == [1, 2, 3]
    assert rows[2][3:] == [None, None]
    assert rows[0][2] == pytest.approx(1000 * run.sides["xl"].seconds[0], rel=1e-3)


def test_the_first_token_is_not_in_the_mean() -> None:
    run = made()
    side = run.sides["xl"]
    assert side.mean is None
    side.seconds = [100.0, 1.0, 2.0, 6.0]
    assert side.mean == 3.0
    assert side.median == 2.0


def test_a_second_asker_is_sent_away_while_a_step_runs() -> None:
    run = made()
    entered, let_go = threading.Event(), threading.Event()

    def slow() -> Iterator[Step]:
        entered.set()
        let_go.wait(10)
        yield Step(1, 0.1, torch.zeros(1))

    run.sides["xl"].steps = slow()
    first = threading.Thread(target=run.advance, args=(0,))
    first.start()
    entered.wait(10)
    run.advance(10)  # returns at once, and doesn't touch the generator
    assert run.sides["xl"].tokens == []
    run.stop()
    let_go.set()
    first.join(10)
    assert run.sides["xl"].tokens == [], "it was stopped before the step ended"


def test_no_thread_is_started() -> None:
    before = set(threading.enumerate())
    run = made()
    run.advance(0.05)
    job = Measuring("wikitext2-2l")
    job.advance(0.05)
    assert job.status == "running"
    assert set(threading.enumerate()) == before
    job.cancel()
    job.advance(10)
    assert (job.status, job.points) == ("cancelled", [])


@pytest.mark.parametrize("L", [8, 256])
def test_no_piece_of_a_run_is_long_even_at_the_longest(L: int) -> None:
    """Whoever stops waits for a burst and a piece: less than half a second of the processor."""
    pair = {kind: models.checkpoint("wikitext2-4l", kind) for kind in KINDS}  # type: ignore[arg-type]
    asked = made(prompt="The river rises in the hills. " * 250, attention_length=2048, segment_length=L).asked
    run, longest, pauses = Run(pair, asked), 0.0, 0
    while len(run.sides["vanilla"].tokens) < 2:
        before = time.thread_time()
        run.advance(0)
        longest, pauses = max(longest, time.thread_time() - before), pauses + (not run.sides["xl"].tokens)
    assert pauses == len(pair["xl"].encode(asked.prompt)) // L, "the prompt was read a segment at a time"
    assert longest < 0.3
    run.stop()


def test_no_piece_of_the_longest_measurement_is_long() -> None:
    job, longest = Measuring("wikitext2-4l", points=[{}] * (len(LENGTHS) - 1)), 0.0
    for _ in range(20):
        before = time.thread_time()
        job.advance(0)
        longest = max(longest, time.thread_time() - before)
    assert job.length == 3800
    assert 0 < job.share < 1
    assert longest < 0.3


def test_a_stop_before_the_first_token_leaves_nothing() -> None:
    run = made(prompt=TEXT * 3)
    run.advance(0)
    run.stop()
    assert (run.status, facts(run)[1]) == ("stopped", [])
    assert [side.text for side in run.sides.values()] == ["", ""]


@pytest.mark.parametrize("A", [1, 64, 1024, 2048])
def test_a_short_prompt_gets_enough_before_it(A: int) -> None:
    encoder = models.checkpoint("wikitext2-4l", "xl")
    prompt = next(iter(library().values())).text
    before, tokens = filler(encoder, prompt, A)
    assert len(encoder.encode(before + prompt)) + 1 >= A
    assert tokens == len(encoder.encode(before)) or not before
    assert prompt not in before
    assert (before == "") == (len(encoder.encode(prompt)) + 1 >= A)
    assert tokens < A + 250, "no more than a text too many"
