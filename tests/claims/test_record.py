"""What is recorded: complete, in words on the page, and the same when it is computed again."""

from __future__ import annotations

import json
import shutil
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from txlviz.checkpoint import CHECKPOINTS
from txlviz.claims import CLAIMS, Inputs, record, said
from txlviz.claims.inputs import PRESETS
from txlviz.content import sections
from txlviz.recorded import RecordError
from txlviz.ui.claims import results

QUICK = [number for number, claim in CLAIMS.items() if claim.live]


@cache
def recorded() -> dict[int, dict[str, Any]]:
    return record.read(CHECKPOINTS)


@cache
def inputs() -> Inputs:
    return Inputs()


def test_all_claims_of_the_list_are_there() -> None:
    assert list(CLAIMS) == list(range(1, 30))
    assert set(recorded()) == set(CLAIMS)
    assert f"{len(CLAIMS)} claims about Transformer-XL" in (CHECKPOINTS.parent / "README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("number", CLAIMS)
def test_a_claim_has_all_its_words(number: int) -> None:
    words = sections(said.PAGE)
    assert 3 <= len(said.sentence(number).split()) <= 20
    for part in ("made", "rule"):
        assert len(words[f"{part}_{number}"]) > 10
    for text in (said.answer(number, recorded()[number]), said.short(number, recorded()[number])):
        assert "{" not in text.replace("{k,R}", "")
        assert any(sign.isdigit() for sign in text)


@pytest.mark.parametrize("number", CLAIMS)
def test_every_number_has_its_meaning(number: int) -> None:
    numbers = recorded()[number]
    lines = [line.split(": ", 1) for line in sections(said.PAGE)[f"numbers_{number}"].splitlines() if line]
    known = [name for name, _ in lines]
    assert len({meaning for _, meaning in lines}) == len(lines)  # rows are known by them
    names = {inner for one in numbers.values() for inner in one} if number == 17 else set(numbers)
    found = {name.removesuffix("_2l").removesuffix("_4l") for name in names}
    later = {name for name in known if name.startswith("stream_")} - found  # not in records made before the stream was read
    assert found == set(known) - later
    assert len(said.rows(number, numbers)) == len(lines) - len(later)


@pytest.mark.parametrize("number", QUICK)
def test_what_is_live_is_as_recorded(number: int) -> None:
    now = CLAIMS[number].measure(inputs())
    agree, count = results.agreement(number, now, recorded()[number])
    assert agree == count > 0, (now, recorded()[number])


def test_scores_are_the_cards() -> None:
    for size in PRESETS:
        card = {kind: inputs().model(size, kind).card["scores"]["valid"] for kind in ("xl", "vanilla")}
        numbers = recorded()[1]
        assert numbers[f"vanilla_{size}"] == pytest.approx(card["vanilla"]["token_perplexity"], rel=1e-4)
        assert numbers[f"xl_m256_{size}"] == pytest.approx(card["xl"]["token_perplexity"], rel=1e-4)
        by_word = 100 * (1 - card["xl"]["word_perplexity"] / card["vanilla"]["word_perplexity"])
        assert numbers[f"word_gain_{size}"] == pytest.approx(by_word, rel=1e-3)
        losses = inputs().model(size, "xl").card["valid_loss_by_memory"]
        for M in ("16", "64"):
            assert np.log(numbers[f"xl_m{M}_{size}"]) == pytest.approx(losses[M], abs=2e-4)


def test_prompts_are_the_recorded_ones() -> None:
    for size, preset in PRESETS.items():
        texts = json.loads((CHECKPOINTS / preset / "prompts.json").read_text())["texts"]
        far = [one["chances"]["xl 256"] for one in texts]
        assert recorded()[8][f"helped_{size}"] == sum(mentioned > other for mentioned, other in far)
        assert recorded()[8][f"median_chance_{size}"] == pytest.approx(np.median([one[0] for one in far]), rel=1e-3)


def test_lengths_and_memories_agree_with_the_records_of_other_pages() -> None:
    """Those are over all of valid, these over its first tokens: the same direction, much the same size."""
    for size, preset in PRESETS.items():
        curves = json.loads((CHECKPOINTS / preset / "length.json").read_text())["curves"]
        for name in ("xl", "xl_no_memory", "vanilla"):
            assert recorded()[6][f"rise_{name}_{size}"] == pytest.approx(curves[name][-1] - curves[name][0], abs=0.06)
        assert recorded()[15][f"long_{size}"] == pytest.approx(curves["xl_no_memory"][-1], abs=1e-3)
        assert recorded()[15][f"short_{size}"] == pytest.approx(curves["xl"][4], abs=1e-3)


def copied(to: Path) -> Path:
    """Cards only: all that a record needs to know its weights."""
    for preset in PRESETS.values():
        for kind in ("xl", "vanilla"):
            (to / preset / kind).mkdir(parents=True)
            shutil.copy(CHECKPOINTS / preset / kind / "card.json", to / preset / kind)
    return to


def test_a_record_grows_claim_by_claim(tmp_path: Path) -> None:
    folder = copied(tmp_path)
    record.update(folder, {7: {"xl_2l": 1}})
    record.update(folder, {3: {"spans": [1, 2]}, 7: {"xl_2l": 2}})
    assert record.read(folder) == {3: {"spans": [1, 2]}, 7: {"xl_2l": 2}}


def test_a_record_of_other_weights_is_refused(tmp_path: Path) -> None:
    folder = copied(tmp_path)
    record.update(folder, {7: {"xl_2l": 1}})
    path = folder / PRESETS["2l"] / "xl" / "card.json"
    card = json.loads(path.read_text())
    card["sha256"]["model.safetensors"] = "0" * 64
    path.write_text(json.dumps(card))
    with pytest.raises(RecordError, match="other weights"):
        record.read(folder)
    record.update(folder, {3: {"spans": []}})  # what was recorded of other weights isn't kept
    assert record.read(folder) == {3: {"spans": []}}


@pytest.mark.parametrize("text", ["", "{}", "[1]", '{"sha256": 3}'])
def test_a_record_that_cant_be_read_is_refused(tmp_path: Path, text: str) -> None:
    folder = copied(tmp_path)
    (folder / record.FILE).write_text(text)
    with pytest.raises(RecordError):
        record.read(folder)
