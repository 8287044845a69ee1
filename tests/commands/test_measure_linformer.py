"""``measure linformer``: the record that it writes, and the one that is shipped."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import torch

from tests.analysis.small import TEXT, checkpoint
from txlviz import checkpoint as checkpoints
from txlviz import recorded
from txlviz.__main__ import main
from txlviz.analysis.low_rank import lost_in
from txlviz.checkpoint import WEIGHTS
from txlviz.commands.measure import linformer
from txlviz.data import load_split
from txlviz.tasks import lookup as task

ROOT = Path(__file__).parents[2] / "checkpoints"


def weights(folder: Path) -> dict[str, str | None]:
    cards = {kind: json.loads((folder / kind / "card.json").read_text()) for kind in ("xl", "vanilla")}
    return {kind: card["sha256"][WEIGHTS] for kind, card in cards.items()}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for kind in ("xl", "vanilla"):
        source = checkpoint(kind)
        checkpoints.save(tmp_path / "small" / kind, source.model, source.tokenizer, {"preset": "small"})
    for split in ("train", "valid", "test"):
        (tmp_path / f"wiki.{split}.tokens").write_text(TEXT * 4)
    monkeypatch.setattr(task, "_SCORED", 512)
    monkeypatch.setattr(linformer, "LENGTHS", (8, 16))
    monkeypatch.setattr(linformer, "RANKS", (4, 32))
    monkeypatch.setattr(linformer, "TEXTS", 2)
    monkeypatch.setattr(linformer, "RUNS", (("full", 0, 0), ("linformer", 8, 1)))
    return tmp_path


def measure(folder: Path, *options: str) -> dict[str, object]:
    where = ["--data-dir", str(folder), "--checkpoints", str(folder), "--run-dir", str(folder / "runs")]
    assert main(["measure", "linformer", "small", *options, *where]) == 0
    return recorded.read(folder / "landscape/linformer.json", weights(folder / "small"))


def test_a_part_leaves_the_other_as_it_was_and_runs_are_kept(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    first = measure(folder, "rank")
    assert "lookup" not in first
    both = measure(folder, "lookup", "--steps", "1", "--json")
    printed = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert printed == {"file": str(folder / "landscape/linformer.json"), **both}
    assert both["rank"] == first["rank"]
    runs = both["lookup"]["runs"]  # type: ignore[index]
    assert [(one["system"], one["rank"], one["seed"]) for one in runs] == [("full", None, 0), ("linformer", 8, 1)]
    assert [stage["n"] for stage in runs[0]["stages"]] == [32, 64, 128, 256, 512]
    kept = folder / "runs/full-0-0.json"
    made = json.loads(kept.read_text())
    made["stages"][0]["accuracy"] = 0.5
    kept.write_text(json.dumps(made))
    again = measure(folder, "lookup", "--steps", "1")
    assert again["lookup"]["runs"][0]["stages"][0]["accuracy"] == 0.5, "a run that is there isn't made again"  # type: ignore[index]


def test_the_ranks_are_those_of_the_models_attention(folder: Path) -> None:
    found = measure(folder, "rank")["rank"]
    assert isinstance(found, dict)
    assert (found["lengths"], found["ranks"], found["texts"]) == ([8, 16], [4, 32], 2)
    xl = checkpoint("xl")
    ids = torch.tensor(xl.inputs(load_split("valid", folder).text))
    for at, n in enumerate((8, 16)):
        texts = torch.stack([ids[:n], ids[len(ids) - 16 :][:n]])
        shares = [one.mean(axis=(1, 2)) for one in lost_in(xl.model, texts, (4, 32))]
        assert found["lost"][at] == pytest.approx(sum(shares) / 2, rel=1e-3, abs=1e-12)


def test_what_it_refuses(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["measure", "linformer", "small", "depth", "--checkpoints", str(folder)]) != 0
    assert "there is no part 'depth'" in capsys.readouterr().err


def test_the_shipped_record() -> None:
    values = recorded.read(ROOT / "landscape/linformer.json", weights(ROOT / "wikitext2-2l"))
    lost = values["rank"]["lost"]
    assert len(lost) == len(values["rank"]["lengths"]) == 4
    for row in lost:
        assert all(0 <= share <= 1 for share in row)
        assert row == sorted(row, reverse=True), "more rows lose less"
    runs = {(one["system"], one["rank"], one["seed"]): one["stages"] for one in values["lookup"]["runs"]}
    assert {(name, rank or None) for name, rank, _ in linformer.RUNS} == {(name, rank) for name, rank, _ in runs}
    for stages in runs.values():
        assert [stage["n"] for stage in stages] == [32, 64, 128, 256, 512]
        assert all(0 <= stage["accuracy"] <= 1 for stage in stages)
