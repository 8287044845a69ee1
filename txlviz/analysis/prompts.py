"""The prompt library: does a mention more than a segment back help a model to the right word?"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass

import torch

from txlviz.analysis.evaluate import stream_losses
from txlviz.checkpoint import Checkpoint

SEGMENT_LENGTH = 64
MEMORY_LENGTHS = (0, 64, 128, 256)

_MENTION = re.compile(r"\[\[(?P<mention>[^|\]]+)\|(?P<replacement>[^|\]]+)\]\]")
_ANSWER = re.compile(r"\nanswer: (?P<answer>\S+)$")


@dataclass(frozen=True)
class Prompt:
    """A text that ends just before a word that only an early mention tells."""

    name: str
    before: str
    """What stands before the mention."""
    mention: str
    replacement: str
    """What takes the mention's place: as many tokens, so that nothing else moves."""
    after: str
    """From the mention to the word that is asked for."""
    answer: str

    @property
    def text(self) -> str:
        """With the mention."""
        return self.before + self.mention + self.after

    @property
    def replaced(self) -> str:
        """With the replacement."""
        return self.before + self.replacement + self.after


@dataclass(frozen=True)
class Chance:
    """Probabilities of the right word."""

    mentioned: float
    """With the mention."""
    replaced: float
    """With another word in its place."""


@dataclass(frozen=True)
class Finding:
    """One prompt, run."""

    prompt: Prompt
    distance: int
    """Tokens from the end of the mention to the word that is asked for."""
    chances: Mapping[str, Chance]
    """``vanilla``, and the Transformer-XL by its M: ``xl 0``, ``xl 64`` and so on."""


def parse(sections: Mapping[str, str]) -> list[Prompt]:
    """Prompts from ``name: body``. In the body ``[[mention|replacement]]`` stands once, and ``answer: word`` ends it."""
    prompts = []
    for name, body in sections.items():
        mentions, answer = list(_MENTION.finditer(body)), _ANSWER.search(body)
        if len(mentions) != 1 or answer is None:
            raise ValueError(f"the prompt {name!r} needs one [[mention|replacement]] and a last line “answer: word”")
        (mention,) = mentions
        before, after = body[: mention.start()], body[mention.end() : answer.start()]
        prompts.append(Prompt(name, before, mention["mention"], mention["replacement"], after, answer["answer"]))
    return prompts


def measure(xl: Checkpoint, vanilla: Checkpoint, prompt: Prompt) -> Finding:
    """Runs one prompt through both models, in segments of 64 from its start."""
    chances = {"vanilla": _chance(vanilla, prompt, None)}
    chances |= {f"xl {rows}": _chance(xl, prompt, rows) for rows in MEMORY_LENGTHS}
    distance = len(xl.encode(prompt.text)) - len(xl.encode(prompt.before + prompt.mention))
    return Finding(prompt, distance, chances)


def _chance(model: Checkpoint, prompt: Prompt, memory_length: int | None) -> Chance:
    return Chance(*(_probability(model, text, prompt.answer, memory_length) for text in (prompt.text, prompt.replaced)))


def _probability(model: Checkpoint, text: str, answer: str, memory_length: int | None) -> float:
    """Of all the answer's tokens, each given those before it."""
    asked = model.encode(f" {answer}")
    ids = torch.tensor([*model.inputs(text), *asked])
    losses = stream_losses(model.model, ids, SEGMENT_LENGTH, memory_length)
    return math.exp(-float(losses[-len(asked) :].sum()))
