"""``measure position`` and ``measure attention``: the records that they write, and those that are shipped."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest
import torch
from numpy.testing import assert_allclose

import txlviz
from tests.analysis.small import TEXT, checkpoint
from txlviz import checkpoint as checkpoints
from txlviz import recorded
from txlviz.__main__ import main
from txlviz.analysis.attention_timing import WAYS
from txlviz.analysis.evaluate import stream_losses
from txlviz.checkpoint import WEIGHTS
from txlviz.data import load_split

ROOT = Path(__file__).parents[2] / "checkpoints"
PRESETS = ("wikitext2-2l", "wikitext2-4l")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A preset of two small models, and a corpus."""
    for kind in ("xl", "vanilla"):
        source = checkpoint(kind)
        checkpoints.save(tmp_path / "small" / kind, source.model, source.tokenizer, {"preset": "small"})
    for split in ("train", "valid", "test"):
        (tmp_path / f"wiki.{split}.tokens").write_text(TEXT * 4)
    return tmp_path


def weights(folder: Path) -> dict[str, str | None]:
    cards = {kind: json.loads((folder / kind / "card.json").read_text()) for kind in ("xl", "vanilla")}
    return {kind: card["sha256"][WEIGHTS] for kind, card in cards.items()}


def test_position_writes_what_plain_scoring_gives(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    options = ["--data-dir", str(folder), "--checkpoints", str(folder), "--tokens", "50", "--json"]
    assert main(["measure", "position", "small", *options]) == 0
    printed = json.loads(capsys.readouterr().out)
    values = recorded.read(folder / "small/position.json", weights(folder / "small"))
    assert printed == {"file": str(folder / "small/position.json"), **values}
    assert (values["tokens"], values["segment_length"], values["memory_length"]) == (50, 16, 16)
    left_out = values["left_out"]
    ids = torch.tensor(checkpoint("xl").encode(load_split("valid", folder).text))
    for name, kind, M in (("vanilla", "vanilla", 0), ("xl", "xl", 16), ("xl_no_memory", "xl", 0)):
        model = checkpoint(kind).model
        streams = [stream_losses(model, ids[offset:], 16, M).numpy() for offset in range(16)]
        for p in (0, 15):
            tokens = range(left_out, left_out + 50)
            losses = [streams[(t - 1 - p) % 16][t - (t - 1 - p) % 16 - 1] for t in tokens]
            assert values["curves"][name]["mean"][p] == pytest.approx(np.mean(losses), rel=1e-3)
            assert values["curves"][name]["standard_error"][p] == pytest.approx(
                np.std(losses, ddof=1) / math.sqrt(50), rel=1e-2
            )


def test_position_asks_for_a_longer_text(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    options = ["--data-dir", str(folder), "--checkpoints", str(folder), "--tokens", "100000"]
    assert main(["measure", "position", "small", *options]) == 2
    assert "are needed to score 100,000" in capsys.readouterr().err
    assert not (folder / "small/position.json").exists()


def test_attention_writes_all_ways_and_lengths(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["measure", "attention", "small", "--checkpoints", str(folder), "--longest", "128"]) == 0
    values = recorded.read(folder / "small/attention.json", weights(folder / "small"))
    assert [(one["way"], one["n_tokens"]) for one in values["points"]] == [(way, n) for n in (64, 128) for way in WAYS]
    assert all(one["seconds"] > 0 and one["peak_bytes"] > 0 for one in values["points"])
    assert "thread" in values["machine"]
    assert "written" in capsys.readouterr().out


@pytest.mark.parametrize("preset", PRESETS)
def test_the_shipped_recording_of_positions(preset: str) -> None:
    values = recorded.read(ROOT / preset / "position.json", weights(ROOT / preset))
    assert values["split"] == "valid"
    assert values["tokens"] >= 20_000
    assert values["segment_length"] == 64
    assert values["memory_length"] == txlviz.load(ROOT / preset / "xl").config.mem_len
    means = {name: np.array(curve["mean"]) for name, curve in values["curves"].items()}
    assert {len(mean) for mean in means.values()} == {64}
    assert_allclose(values["vanilla_minus_xl"]["mean"], means["vanilla"] - means["xl"], atol=2e-3)
    # What the page says: being first costs without memory, and not with one.
    assert means["vanilla"][0] - means["vanilla"][-1] > 0.5
    assert means["xl_no_memory"][0] - means["xl_no_memory"][-1] > 0.5
    assert np.ptp(means["xl"]) < 0.02


def test_the_shipped_recording_of_attention() -> None:
    values = recorded.read(ROOT / "wikitext2-4l/attention.json", weights(ROOT / "wikitext2-4l"))
    points = {(one["way"], one["n_tokens"]): one for one in values["points"]}
    assert {n for _, n in points} == {64, 128, 256, 512, 1024, 2048, 4096}
    for way, low, high in (("whole", 12, 20), ("fused", 3.8, 4.2), ("segments", 0.99, 1.01), ("xl", 0.99, 1.01)):
        assert low < points[way, 4096]["peak_bytes"] / points[way, 1024]["peak_bytes"] < high
