"""A continuation of a prompt, token by token: from a memory (Transformer-XL), or from a window read anew (vanilla)."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import torch
from torch import Tensor

from txlviz.analysis.lengths import with_lengths
from txlviz.checkpoint import Checkpoint
from txlviz.data import segments
from txlviz.generation.sampling import Sampling, draw
from txlviz.models import KeyValueCache, LanguageModel, Memory, TransformerXL

GREEDY = Sampling(temperature=0.0)

Reader = Callable[[list[int]], Iterator[Tensor | None]]
"""Given all ids so far, reads them: None after each piece of a long prompt, at last the scores (V,) of the next id. It is
called once a token, in order."""


@dataclass(frozen=True)
class Step:
    """One new token."""

    token: int
    """Its id."""
    seconds: float
    """What the model took for its scores; drawing from them isn't counted."""
    logits: Tensor
    """(V,) the scores that it was drawn from."""


def stream(
    checkpoint: Checkpoint,
    prompt: str,
    *,
    segment_length: int | None = None,
    memory_length: int | None = None,
    sampling: Sampling = GREEDY,
    seed: int = 0,
) -> Iterator[Step]:
    """Goes on with ``prompt``, without end: stop reading to stop it.

    The Transformer-XL reads the prompt in segments of L, then takes one token a step, looking at the projected keys and values
    of the last M rows. The vanilla model has nothing to keep: each step reads a window of the last L tokens, at most, anew.

    Args:
        segment_length: L; None takes the trained length.
        memory_length: M of the Transformer-XL; None takes the model's own.
        sampling: how tokens are drawn; greedy by default.
        seed: of the draws.

    Raises:
        ValueError: the prompt can't be encoded, or a length doesn't fit the model. Raised at once, not at the first step.
    """
    found = pieces(checkpoint, prompt, segment_length=segment_length, memory_length=memory_length, sampling=sampling, seed=seed)
    return (step for step in found if step is not None)


def pieces(
    checkpoint: Checkpoint,
    prompt: str,
    *,
    segment_length: int | None = None,
    memory_length: int | None = None,
    sampling: Sampling = GREEDY,
    seed: int = 0,
) -> Iterator[Step | None]:
    """``stream``, for whoever may want to stop while a long prompt is read: None after each of its segments."""
    model, length, _ = with_lengths(checkpoint.model, segment_length, memory_length)
    ids = checkpoint.inputs(prompt)
    reads = _from_memory(model, length) if isinstance(model, TransformerXL) else _from_window(model, length)
    return _steps(ids, reads, sampling, seed)


def generate(
    checkpoint: Checkpoint,
    prompt: str,
    max_new_tokens: int = 200,
    *,
    segment_length: int | None = None,
    memory_length: int | None = None,
    sampling: Sampling | None = None,
    seed: int = 0,
) -> str:
    """The continuation of ``prompt``, without it. See ``stream``; here tokens are drawn from the model's distribution."""
    if max_new_tokens < 0:
        raise ValueError(f"{max_new_tokens} new tokens were asked for; the number must be at least 0")
    steps = stream(
        checkpoint,
        prompt,
        segment_length=segment_length,
        memory_length=memory_length,
        sampling=sampling or Sampling(),
        seed=seed,
    )
    return checkpoint.decode([step.token for _, step in zip(range(max_new_tokens), steps, strict=False)])


def _steps(ids: list[int], read: Reader, sampling: Sampling, seed: int) -> Iterator[Step | None]:
    generator = torch.Generator().manual_seed(seed)
    ids = list(ids)
    while True:
        reading, seconds, logits = read(ids), 0.0, None
        while logits is None:
            with torch.inference_mode():  # not around the yield: it would reach whoever asks
                start = time.perf_counter()
                logits = next(reading)
                seconds += time.perf_counter() - start
            if logits is None:
                yield None
        token = draw(logits, ids, sampling, generator)
        yield Step(token, seconds, logits)
        ids.append(token)


def _from_memory(model: TransformerXL, length: int) -> Reader:
    """The prompt in segments of L, then one token a step. Its last segment gives the first scores."""
    cache: KeyValueCache | None = None

    def read(ids: list[int]) -> Iterator[Tensor | None]:
        nonlocal cache
        if cache is None:
            memory: Memory = ()
            for piece in segments(torch.tensor([ids]), length):
                if memory:
                    yield None
                out = model(piece, memory or None)
                memory = out.memory
            cache = KeyValueCache(model, memory)
            yield model.logits(out.hidden[0, -1])
        else:
            yield model.logits(cache.step(torch.tensor([ids[-1:]]))[0, -1])

    return read


def _from_window(model: LanguageModel, length: int) -> Reader:
    def read(ids: list[int]) -> Iterator[Tensor | None]:
        yield model.logits(model(torch.tensor([ids[-length:]])).hidden[0, -1])

    return read
