"""The models in ``checkpoints/landscape``, and the record of all runs: they belong together, and say how they were made."""

from __future__ import annotations

import json
import math
import os
from pathlib import Path

import numpy as np
import pytest
import torch

import txlviz
from txlviz.analysis import landscape_record, variant_scores
from txlviz.analysis.evaluate import stream_losses
from txlviz.analysis.position_part import position_part
from txlviz.checkpoint import Checkpoint
from txlviz.data import load_split
from txlviz.models import SystemTransformer
from txlviz.training.variants import LANDSCAPE, SHIPPED, VARIANTS

FOLDER = Path(__file__).parents[1] / "checkpoints" / "landscape"
RECORD = landscape_record.read(FOLDER)
TEXT = (
    "The lighthouse at Carrow Point was built in 1832 by the engineer Thomas Hale, who had worked on the harbour of the town."
)
DATA = os.environ.get("TXLVIZ_DATA_DIR")  # where the corpus is at hand


@pytest.fixture(scope="module", params=SHIPPED)
def shipped(request: pytest.FixtureRequest) -> Checkpoint:
    return txlviz.load(FOLDER / request.param)


def test_all_runs_are_recorded_with_the_budget_of_the_variants() -> None:
    assert list(RECORD.runs) == list(VARIANTS)
    assert {name: RECORD.settings[name] for name in ("steps", "warmup_steps", "seed", "batch_size", "segment_length")} == {
        name: getattr(LANDSCAPE, name) for name in ("steps", "warmup_steps", "seed", "batch_size", "segment_length")
    }
    assert (RECORD.settings["words"], RECORD.settings["split_tokens"]) == (217_646, 295_965)
    for name, run in RECORD.runs.items():
        variant = VARIANTS[name]
        assert (run["encoding"], run["attention"], run["recurrent"], run["half"]) == (
            variant.encoding,
            variant.attention,
            variant.recurrent,
            variant.half,
        )
        assert run["without"] == list(variant.without)
        assert run["tokens"] == 722 * 32 * 64
        assert run["targets"] == run["tokens"] // (2 if variant.half else 1)
        assert 20 <= len(run["curve"]["loss"]) == len(run["curve"]["tokens"]) <= 30
        assert run["curve"]["tokens"][-1] == run["tokens"]


def test_perplexities_are_those_of_the_losses() -> None:
    words, tokens = RECORD.settings["words"], RECORD.settings["split_tokens"]
    for name, run in RECORD.runs.items():
        for way in run["ways"].values():
            assert way["token_perplexity"] == pytest.approx(math.exp(way["loss"]), rel=1e-4)
            assert way["word_perplexity"] == pytest.approx(math.exp(way["loss"] * tokens / words), rel=1e-3)
        assert RECORD.headline(name) == run["ways"][run["headline"]]
        half = VARIANTS[name].half
        memory = VARIANTS[name].recurrent
        assert run["headline"] == ("memory_128" if memory else "segments") * (not half) + half * (
            "memory_128_stride_32" if memory else "stride_32"
        )


def test_only_learned_positions_end_with_the_training_length() -> None:
    for name, run in RECORD.runs.items():
        missing = [length for length, loss in zip(RECORD.settings["lengths"], run["by_length"], strict=True) if loss is None]
        assert missing == ([96, 128, 192, 256, 384, 512] if VARIANTS[name].encoding == "learned" else [])


def test_every_run_has_learned_something_and_more_than_word_frequencies() -> None:
    assert all(RECORD.headline(name)["loss"] < 6.0 for name in RECORD.runs)  # unigram entropy: about 6.9


def test_the_card_belongs_to_the_record(shipped: Checkpoint) -> None:
    card, run = shipped.card, RECORD.runs[shipped.path.name]
    assert shipped.name == f"landscape/{shipped.path.name}"
    assert card["parameters"] == shipped.model.parameter_count() == run["parameters"]
    assert card["scores"]["valid"] == {"how": run["headline"], **RECORD.headline(shipped.path.name)}
    assert card["data"]["licence"] == "Wikipedia text, CC BY-SA 3.0 and GFDL"
    assert card["budget"]["steps"] == 722
    assert card["command"] == f"python -m txlviz measure landscape --only {shipped.path.name} --threads 1"
    config = json.loads((shipped.path / "config.json").read_text())
    assert config["kind"] == "system"
    assert config["encoding"] == run["encoding"]
    assert all(torch.equal(p, p.half().float()) for p in shipped.model.parameters())


def test_it_runs_on_a_typed_text_and_shows_its_positions(shipped: Checkpoint) -> None:
    found = txlviz.trace(shipped, TEXT)
    assert found.residual <= 1e-5
    assert float(found.losses.mean()) < 7.5
    part = position_part(shipped, TEXT)
    np.testing.assert_allclose(part.weights.sum(-1), 1, atol=1e-5)
    assert (part.scores is None) == (RECORD.runs[shipped.path.name]["encoding"] == "none")


if DATA is not None:

    def test_recorded_losses_come_out_again(shipped: Checkpoint) -> None:
        assert DATA is not None
        model = shipped.model
        assert isinstance(model, SystemTransformer)
        ids = torch.tensor(shipped.inputs(load_split("valid", DATA).text))
        run, at = RECORD.runs[shipped.path.name], variant_scores.LENGTHS.index(64)
        losses = stream_losses(model, ids[: variant_scores.LENGTH_TOKENS + 1], 64)
        assert float(losses.double().mean()) == pytest.approx(run["by_length"][at], rel=1e-4)
