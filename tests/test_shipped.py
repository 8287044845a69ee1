"""The four models in ``checkpoints/``: what their cards promise, and that the terms on screen are theirs."""

from __future__ import annotations

import itertools
import math
import os
from pathlib import Path

import numpy as np
import pytest
import torch
from numpy.testing import assert_allclose

import txlviz
from txlviz.analysis.evaluate import stream_losses
from txlviz.checkpoint import Checkpoint
from txlviz.data import load_split
from txlviz.training.presets import PRESETS

FOLDER = Path(__file__).parents[1] / "checkpoints"
NAMES = ["wikitext2-2l/xl", "wikitext2-2l/vanilla", "wikitext2-4l/xl", "wikitext2-4l/vanilla"]
TEXT = (
    "The lighthouse at Carrow Point was built in 1832 by the engineer Thomas Hale, who had worked on the harbour of the town "
    "for eleven years. It stands on a narrow rock, 40 m above the sea, and its lamp can be seen from a distance of 20 miles. "
    "During the winter of 1861 a storm broke the gallery, and the keepers lived for three weeks on biscuits and rain water. "
    "A second tower was planned but never built. The first lamp burned oil; it was replaced by an electric one in 1924. Hale "
    "died in the following year, and a street near the quay still bears his name. Visitors can climb the 212 steps in summer."
)


@pytest.fixture(scope="module", params=NAMES)
def shipped(request: pytest.FixtureRequest) -> Checkpoint:
    return txlviz.load(FOLDER / request.param)


def test_all_files_take_less_than_40_mb() -> None:
    assert sum(file.stat().st_size for file in FOLDER.rglob("*") if file.is_file()) < 40e6


def test_the_card_tells_everything(shipped: Checkpoint) -> None:
    card, preset = shipped.card, PRESETS[shipped.card["preset"]]
    assert shipped.config.n_layers == preset.n_layers
    assert card["parameters"] == shipped.model.parameter_count()
    assert card["data"]["licence"] == "Wikipedia text, CC BY-SA 3.0 and GFDL"
    assert card["data"]["words"] == {"train": 2_088_628, "valid": 217_646, "test": 245_569}
    assert card["data"]["detokenisation_invertible"] is True
    assert card["budget"]["steps"] == preset.steps == card["curve"]["step"][-1]
    assert card["budget"]["epochs"] >= 2
    assert len({len(values) for values in card["curve"].values()}) == 1
    assert len([loss for loss in card["curve"]["valid_loss"] if loss is not None]) >= 20
    for split in ("valid", "test"):
        scores = card["scores"][split]
        assert scores["words"] == card["data"]["words"][split]
        nats = math.log(scores["token_perplexity"]) * scores["tokens"]
        assert math.exp(nats / scores["words"]) == pytest.approx(scores["word_perplexity"], rel=1e-3)
        assert nats / math.log(2) / card["data"]["bytes"][split] == pytest.approx(scores["bits_per_byte"], rel=1e-3)


@pytest.mark.parametrize("preset", ["wikitext2-2l", "wikitext2-4l"])
def test_both_models_had_the_same_budget_and_the_xl_is_at_least_15_percent_better(preset: str) -> None:
    xl, vanilla = (txlviz.load(FOLDER / preset / kind) for kind in ("xl", "vanilla"))
    assert xl.card["settings"] == vanilla.card["settings"]
    assert {k: v for k, v in xl.card["budget"].items() if k != "seconds"} == {
        k: v for k, v in vanilla.card["budget"].items() if k != "seconds"
    }
    assert xl.card["sha256"]["tokenizer.json"] == vanilla.card["sha256"]["tokenizer.json"]
    scores = [source.card["scores"]["valid"] for source in (xl, vanilla)]
    assert scores[0]["token_perplexity"] <= 0.85 * scores[1]["token_perplexity"]
    assert scores[0]["bits_per_byte"] <= 1.70
    assert scores[1]["bits_per_byte"] <= 1.80


def test_four_layers_are_better_than_two() -> None:
    for kind in ("xl", "vanilla"):
        two, four = (txlviz.load(FOLDER / f"wikitext2-{n}l" / kind).card["scores"] for n in (2, 4))
        assert all(four[split]["bits_per_byte"] < two[split]["bits_per_byte"] for split in ("valid", "test"))


if "TXLVIZ_DATA_DIR" in os.environ:  # where the corpus is at hand

    def test_the_cards_scores_come_out_again(shipped: Checkpoint) -> None:
        split = load_split("valid", os.environ["TXLVIZ_DATA_DIR"])
        result, recorded = txlviz.evaluate(shipped, split.text, words=split.words), shipped.card["scores"]["valid"]
        for name in ("token_perplexity", "word_perplexity", "bits_per_byte", "memory_length"):
            assert getattr(result, name) == pytest.approx(recorded[name], rel=1e-4)


def test_a_longer_memory_never_hurts_up_to_256() -> None:
    for preset in ("wikitext2-2l", "wikitext2-4l"):
        losses = txlviz.load(FOLDER / preset / "xl").card["valid_loss_by_memory"]
        tried = [losses[str(m)] for m in (0, 16, 64, 128, 256)]
        assert all(after <= before * 1.005 for before, after in itertools.pairwise(tried)), tried


@pytest.mark.parametrize("memory", [0, 1, 63, 64, 65, 300])
def test_the_terms_are_the_models_own(shipped: Checkpoint, memory: int) -> None:
    if not shipped.is_xl and memory:
        with pytest.raises(ValueError, match="no memory"):
            txlviz.trace(shipped, TEXT, 64, memory)
        return
    text = TEXT * 3
    run = txlviz.trace(shipped, text, 64, memory)
    assert run.residual <= 1e-5
    for segment in run.segments:
        for layer in segment.layers:
            if layer.terms is not None:
                total = sum(layer.terms[term].astype(np.float64) for term in "abcd") / math.sqrt(run.d_head)
                shifted = np.exp(np.where(layer.visible, total, -np.inf) - total.max(-1, keepdims=True))
                assert_allclose(shifted / shifted.sum(-1, keepdims=True), layer.weights, atol=1e-5)
    ids = torch.tensor([shipped.tokenizer.newline, *shipped.encode(text)])
    ordinary = stream_losses(shipped.model, ids, 64, memory if shipped.is_xl else None)
    assert_allclose(run.losses, ordinary.numpy(), atol=1e-4)


@pytest.mark.parametrize("length", [1, 50, 64, 1000])
def test_any_cut_gives_the_same_losses_when_the_memory_holds_the_history(shipped: Checkpoint, length: int) -> None:
    if not shipped.is_xl:
        return
    ids = torch.tensor([shipped.tokenizer.newline, *shipped.encode(TEXT)])
    whole = stream_losses(shipped.model, ids, 10_000, 0)
    assert_allclose(stream_losses(shipped.model, ids, length, 1000).numpy(), whole.numpy(), atol=1e-4)


@pytest.mark.parametrize("text", ["x", " ", "\x00\x01", "😀 🏳️‍🌈", "مرحبا بالعالم", "你好，世界", "<unk>", "<b>**$x$**</b>"])
def test_odd_texts_run(shipped: Checkpoint, text: str) -> None:
    run = txlviz.trace(shipped, text, 8)
    assert np.isfinite(run.losses).all()
    assert shipped.decode(shipped.encode(text)) == text
