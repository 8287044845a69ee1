"""The prompt library: how it is read, what a text must be like, and the probabilities by brute force."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

import txlviz
from tests.analysis.small import checkpoint
from txlviz.analysis.prompts import MEMORY_LENGTHS, SEGMENT_LENGTH, Prompt, measure, parse
from txlviz.checkpoint import Checkpoint
from txlviz.content import sections

ROOT = Path(__file__).parents[2]
SMALL = Prompt(
    "river", "The ", "river", "miller", " runs past the old mill, and the" + " evening comes until the" * 30, "river"
)


def test_a_text_is_cut_at_its_mention() -> None:
    (prompt,) = parse({"one": "A horse named [[Sultan|Falcon]], which ran.\nIt was his horse\nanswer: Sultan"})
    assert prompt == Prompt("one", "A horse named ", "Sultan", "Falcon", ", which ran.\nIt was his horse", "Sultan")
    assert prompt.text == "A horse named Sultan, which ran.\nIt was his horse"
    assert prompt.replaced == "A horse named Falcon, which ran.\nIt was his horse"


@pytest.mark.parametrize(
    "body", ["no mention\nanswer: x", "[[a|b]] and [[c|d]]\nanswer: a", "[[a|b]] no answer", "[[a]]\nanswer: a"]
)
def test_a_text_that_is_not_one_is_refused(body: str) -> None:
    with pytest.raises(ValueError, match="the prompt 'one' needs"):
        parse({"one": body})


def test_the_library() -> None:
    prompts = parse(sections("prompts"))
    assert len(prompts) >= 30
    assert len({prompt.text for prompt in prompts}) == len(prompts)
    tokenizers = [txlviz.load(ROOT / f"checkpoints/{preset}/xl") for preset in ("wikitext2-2l", "wikitext2-4l")]
    for prompt in prompts:
        assert prompt.answer in prompt.mention.split()
        assert prompt.answer not in prompt.replacement.split()
        assert prompt.answer not in prompt.after.replace(".", " ").replace(",", " ").split(), "nothing else may tell it"
        for model in tokenizers:
            mentioned, replaced = model.encode(prompt.text), model.encode(prompt.replaced)
            assert len(mentioned) == len(replaced), f"{prompt.name}: nothing else may move"
            tail = len(mentioned) - len(model.encode(prompt.before + prompt.mention))
            assert mentioned[-tail:] == replaced[-tail:]
            assert tail > 64, prompt.name


@torch.inference_mode()
def brute_force(model: Checkpoint, text: str, answer: str, M: int) -> float:
    """A segment at a time, from the start, and the softmax at the last places."""
    asked = model.encode(f" {answer}")
    ids = [model.tokenizer.newline, *model.encode(text), *asked]
    xl = model.model.with_mem_len(M) if model.is_xl else model.model
    memory, logits = None, []
    for start in range(0, len(ids) - 1, SEGMENT_LENGTH):
        piece = ids[start : min(start + SEGMENT_LENGTH, len(ids) - 1)]
        out = xl(torch.tensor([piece]), memory)
        memory = out.memory or None
        logits.append(xl.logits(out.hidden[0]))
    probabilities = torch.cat(logits).double().softmax(dim=-1)
    total = 1.0
    for place in range(len(ids) - len(asked), len(ids)):
        total *= float(probabilities[place - 1, ids[place]])
    return total


def test_the_probabilities_by_brute_force() -> None:
    xl, vanilla = checkpoint("xl"), checkpoint("vanilla")
    found = measure(xl, vanilla, SMALL)
    assert list(found.chances) == ["vanilla", *(f"xl {rows}" for rows in MEMORY_LENGTHS)]
    for name, chance in found.chances.items():
        model, M = (vanilla, 0) if name == "vanilla" else (xl, int(name.removeprefix("xl ")))
        assert chance.mentioned == pytest.approx(brute_force(model, SMALL.text, "river", M), rel=1e-4)
        assert chance.replaced == pytest.approx(brute_force(model, SMALL.replaced, "river", M), rel=1e-4)
    assert found.distance == len(xl.encode(SMALL.text)) - len(xl.encode(SMALL.before + SMALL.mention))


def test_beyond_its_segment_the_vanilla_model_sees_nothing() -> None:
    xl, vanilla = checkpoint("xl"), checkpoint("vanilla")
    assert len(xl.encode(SMALL.text)) > 2 * SEGMENT_LENGTH
    assert len(xl.encode(SMALL.text)) == len(xl.encode(SMALL.replaced))  # or what follows would stand in another cut
    found = measure(xl, vanilla, SMALL).chances
    for name in ("vanilla", "xl 0"):
        assert found[name].mentioned == found[name].replaced
    assert found["xl 256"].mentioned != found["xl 256"].replaced
