"""Loss by segment length: each the same as one evaluation."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest

import txlviz
from tests.analysis import small
from txlviz.analysis.extrapolation import LENGTHS, losses_by_length

SHIPPED = Path(__file__).parents[2] / "checkpoints"


@pytest.mark.parametrize(("kind", "memory"), [("vanilla", None), ("xl", 0), ("xl", 24), ("xl", None)])
def test_each_length_is_an_evaluation_of_its_own(kind, memory):
    source, told = small.checkpoint(kind), []
    found = losses_by_length(source, small.TEXT, (8, 16, 40), memory, done=told.append)
    assert told == [8, 16, 40]
    rows = (16 if memory is None else memory) if kind == "xl" else 0
    for L, loss in zip((8, 16, 40), found, strict=True):
        assert loss == pytest.approx(float(txlviz.trace(source, small.TEXT, L, rows, record=[]).losses.mean()), rel=1e-5)


def test_the_empty_text_is_refused():
    with pytest.raises(ValueError, match="empty"):
        losses_by_length(small.checkpoint("xl"), "")


@pytest.mark.parametrize("preset", ["wikitext2-2l", "wikitext2-4l"])
def test_the_record_says_what_the_cards_and_the_page_say(preset):
    record = json.loads((SHIPPED / preset / "length.json").read_text())
    assert tuple(record["lengths"]) == LENGTHS
    assert (LENGTHS[0], LENGTHS[-1]) == (64, 512)
    for kind in ("xl", "vanilla"):
        card = json.loads((SHIPPED / preset / kind / "card.json").read_text())
        scores = card["scores"]["valid"]
        assert record["sha256"][kind] == card["sha256"]["model.safetensors"]
        assert record["tokens"] == scores["tokens"]
        assert record["curves"][kind][0] == pytest.approx(math.log(scores["token_perplexity"]), abs=1e-3)
    assert record["memory_length"] == txlviz.load(SHIPPED / preset / "xl").config.mem_len
    vanilla, xl = record["curves"]["vanilla"], record["curves"]["xl"]
    assert vanilla == sorted(vanilla)
    assert vanilla[-1] - vanilla[0] > 1  # it falls apart …
    assert max(xl) - min(xl) < 0.02  # … and this one doesn't
