"""One prompt, two streams of tokens, in turn. No Streamlit, and no thread: it runs only while ``advance`` is called."""

from __future__ import annotations

import itertools
import statistics
import threading
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal

import txlviz
from txlviz.generation import Sampling, Step, pieces

Status = Literal["running", "done", "stopped"]
KINDS = ("xl", "vanilla")
_NUMBERS = itertools.count()


@dataclass
class Side:
    """One model's stream."""

    checkpoint: txlviz.Checkpoint
    steps: Iterator[Step | None] | None
    tokens: list[int] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)
    """The model's time for each token. The first holds the reading of the prompt."""

    @property
    def text(self) -> str:
        """What was made so far, without half a character at its end."""
        return self.checkpoint.decode(self.tokens).rstrip("�")

    @property
    def median(self) -> float | None:
        """Seconds a token, without the first one; on a busy machine less at the mercy of other programs than the mean."""
        return statistics.median(self.seconds[1:]) if len(self.seconds) > 1 else None

    @property
    def mean(self) -> float | None:
        """Seconds a token, without the first one."""
        return sum(self.seconds[1:]) / (len(self.seconds) - 1) if len(self.seconds) > 1 else None


@dataclass(frozen=True)
class Asked:
    """What a run was started with."""

    preset: str
    prompt: str
    filler: str
    """Stands before the prompt, so that there is enough to look at. May be empty."""
    filler_tokens: int
    attention_length: int
    """A: the vanilla model's window, and the Transformer-XL's M."""
    segment_length: int
    """L: how the Transformer-XL reads the prompt."""
    count: int
    """Tokens wanted of each model."""
    sampling: Sampling
    seed: int


class Run:
    """Both continuations of one prompt."""

    def __init__(self, pair: Mapping[str, txlviz.Checkpoint], asked: Asked) -> None:
        self.asked = asked
        self.status: Status = "running"
        self.sides = {kind: Side(pair[kind], self._stream(pair[kind], kind)) for kind in KINDS}
        self.number = next(_NUMBERS)
        self._next = 0
        self._asked = threading.Lock()

    def _stream(self, checkpoint: txlviz.Checkpoint, kind: str) -> Iterator[Step | None]:
        asked = self.asked
        return pieces(
            checkpoint,
            asked.filler + asked.prompt,
            segment_length=asked.attention_length if kind == "vanilla" else asked.segment_length,
            memory_length=asked.attention_length if kind == "xl" else None,
            sampling=asked.sampling,
            seed=asked.seed,
        )

    def advance(self, seconds: float) -> None:
        """Takes tokens from both models in turn, for about so long; at least one, or one segment of the prompt.

        While a step runs, a second call returns at once: a browser that left and came back may ask while the last asker's step
        isn't done.
        """
        if not self._asked.acquire(blocking=False):
            return
        try:
            end = time.monotonic() + seconds
            while self._step() and time.monotonic() < end:
                pass
        finally:
            self._asked.release()

    def _step(self) -> bool:
        """One token, or a segment of the prompt on the way to the first; whether there are more."""
        side = self.sides[KINDS[self._next]]
        steps = side.steps
        if steps is None:
            return False
        step = next(steps)
        if self.status != "running":  # stopped meanwhile
            return False
        if step is None:
            return True
        side.tokens.append(step.token)
        side.seconds.append(step.seconds)
        self._next = 1 - self._next
        if len(self.sides["vanilla"].tokens) >= self.asked.count:
            self._end("done")
        return self.status == "running"

    def stop(self) -> None:
        """Ends it; what was made stays."""
        if self.status == "running":
            self._end("stopped")

    def _end(self, status: Status) -> None:
        self.status = status
        for side in self.sides.values():
            side.steps = None  # lets go of the cache
