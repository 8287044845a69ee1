"""``python -m txlviz measure context``: what is written is what was measured, and what is shipped is whole."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest
import torch

import txlviz
from txlviz.__main__ import main
from txlviz.analysis import context_record
from txlviz.analysis.context import losses_by_context
from txlviz.data import load_split

SHIPPED = Path(__file__).parents[2] / "checkpoints"
PRESET = "wikitext2-2l"
LINE = " The river runs past the old mill , and the miller 's daughter reads by the river until the evening comes . \n"


def hashes(folder: Path) -> dict[str, str]:
    cards = {kind: json.loads((folder / kind / "card.json").read_text()) for kind in ("xl", "vanilla")}
    return {kind: card["sha256"]["model.safetensors"] for kind, card in cards.items()}


@pytest.fixture
def folders(tmp_path: Path) -> tuple[Path, Path]:
    """A corpus of some lines, and a copy of one pair of checkpoints without its record."""
    data, copies = tmp_path / "data", tmp_path / "checkpoints"
    data.mkdir()
    for split in ("train", "valid", "test"):
        (data / f"wiki.{split}.tokens").write_text(" \n = River = \n \n" + LINE * 40)
    shutil.copytree(SHIPPED / PRESET, copies / PRESET, ignore=shutil.ignore_patterns("context.*"))
    return data, copies


def test_the_record_holds_the_measured_losses(
    folders: tuple[Path, Path], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    contexts = (1, 4, 16, 32, 64)
    monkeypatch.setattr(context_record, "CONTEXTS", contexts)
    data, copies = folders
    command = ["measure", "context", PRESET, "--data-dir", str(data), "--checkpoints", str(copies), "--targets", "8"]
    assert main([*command, "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    found = context_record.read(copies / PRESET, hashes(copies / PRESET))
    assert found.contexts == contexts
    assert said["curves"] == found.facts["curves"]
    pair = {kind: txlviz.load(copies / PRESET / kind) for kind in ("xl", "vanilla")}
    ids = torch.tensor(pair["xl"].encode(load_split("valid", data).text))
    places = context_record.targets_of(len(ids), 64, 8)
    assert (found.facts["first_target"], found.facts["last_target"]) == (places[0], places[-1])
    for kind, source in pair.items():
        expected = losses_by_context(source.model, ids, contexts)[:, places - 64]
        np.testing.assert_allclose(found.losses[kind], expected, atol=0.006)
        assert found.facts["curves"][kind]["mean"] == pytest.approx(expected.mean(axis=1), abs=0.003)
    assert main(command) == 0
    assert "written:" in capsys.readouterr().out


def test_too_many_targets_end_in_one_sentence(folders: tuple[Path, Path], capsys: pytest.CaptureFixture[str]) -> None:
    data, copies = folders
    command = ["measure", "context", PRESET, "--data-dir", str(data), "--checkpoints", str(copies)]
    assert main(command) == 2
    assert "are needed for 4,096 targets" in capsys.readouterr().err


@pytest.mark.parametrize("preset", ["wikitext2-2l", "wikitext2-4l"])
def test_what_is_shipped(preset: str) -> None:
    folder = SHIPPED / preset
    found = context_record.read(folder, hashes(folder))
    assert found.contexts == (1, 2, 4, 8, *range(16, 513, 16))
    assert found.facts["split"] == "valid"
    assert found.facts["targets"] >= 4_000
    assert (folder / context_record.LOSSES).stat().st_size < 1_000_000
    for kind in ("xl", "vanilla"):
        table, curve = found.losses[kind], found.facts["curves"][kind]
        assert table.shape == (len(found.contexts), found.facts["targets"])
        assert np.isfinite(table).all()
        assert (table >= 0).all()
        assert curve["mean"] == pytest.approx(table.mean(axis=1), rel=1e-4)
        assert curve == context_record.summary(table, found.contexts)
    xl, vanilla = (found.losses[kind].mean(axis=1) for kind in ("xl", "vanilla"))
    assert xl[-1] < xl[found.contexts.index(16)] < xl[0]
    assert vanilla[-1] > vanilla[found.contexts.index(64)]  # positions that it never learned
