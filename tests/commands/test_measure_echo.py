"""``measure echo``: runs that stand are kept, and the record is made of them."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from txlviz import recorded
from txlviz.__main__ import main
from txlviz.commands.measure import echo
from txlviz.tasks import grid, record, relay, shipped


def made_cell(kind: str, delay: int, memory: int) -> dict[str, object]:
    tested = grid.TESTED_M if kind == "xl" else (0,)
    shares = {str(m): [0.0625] * 32 for m in tested}
    rest = {"seed": 0, "steps": 1, "learned": None, "accuracy": shares}
    return {"kind": kind, "delay": delay, "trained_memory": memory, **rest}


def made_run(k: int, seed: int, memory: int) -> dict[str, object]:
    rest = {"steps": 1, "segments_a_point": k, "learned": k > 1, "accuracy": [0.1] * 8, "curve": [0.1]}
    return {"gradient_segments": k, "memory": memory, "seed": seed, **rest}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(grid, "TESTED_M", (0, 64))  # quick, and enough to see what was measured
    for name, value in (("_STREAMS", 32), ("_SEGMENTS", 4), ("SAMPLES", 128)):
        monkeypatch.setattr(grid, name, value)
    for name in shipped.SHIPPED:
        shutil.copytree(shipped.FOLDER / name, tmp_path / "tasks/echo" / name)
    return tmp_path


def test_only_what_is_missing_is_made(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    made: list[tuple[object, ...]] = []
    monkeypatch.setattr(grid, "cells", lambda: [("xl", 8, 16), ("vanilla", 8, 0), ("xl", 40, 64)])
    monkeypatch.setattr(grid, "train_cell", lambda *at: made.append(at) or made_cell(*at))
    monkeypatch.setattr(relay, "runs", lambda: [(1, 0, 8), (2, 0, 8)])
    monkeypatch.setattr(relay, "train_run", lambda *at: made.append(at) or made_run(*at))
    command = ["measure", "echo", "grid", "relay", "--checkpoints", str(folder), "--run-dir", str(folder / "runs"), "--json"]
    assert main(command) == 0
    assert made == [("xl", 8, 16), ("vanilla", 8, 0), ("xl", 40, 64), (1, 0, 8), (2, 0, 8)]
    report = json.loads(capsys.readouterr().out)
    assert report["cells"] == 5, "the shipped three, one of them in the place of a cell, and two more"
    assert report["relay"] == {"k=1 M=8": "0 of 1", "k=2 M=8": "1 of 1"}
    (folder / "runs" / "grid" / "xl-8-16.json").unlink()
    assert main(command) == 0
    assert made[5:] == [("xl", 8, 16)]
    weights = {kind: shipped.weights_hash(kind, folder / "tasks/echo") for kind in ("xl", "vanilla")}
    read = record.from_values(recorded.read(folder / "tasks/echo" / record.FILE, weights))
    own = read.cell("xl", 40, 64)
    assert own is not None
    assert own.accuracy[64].min() > 0.75, "the shipped model, not the made-up cell"
    assert own.steps == 1000


def test_the_models_are_made_anew(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[str] = []
    loaded = {name: shipped.load(name) for name in shipped.SHIPPED}
    monkeypatch.setattr(shipped, "make", lambda name: made.append(name) or (loaded[name].model, loaded[name].card))
    assert main(["measure", "echo", "models", "--checkpoints", str(folder / "new"), "--run-dir", str(folder / "runs")]) == 0
    assert made == list(shipped.SHIPPED)
    assert shipped.load("xl", folder / "new" / echo.FOLDER).task == loaded["xl"].task
    assert (folder / "new" / echo.FOLDER / echo.record.FILE).exists()


def test_an_unknown_part_is_one_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["measure", "echo", "weights"]) == 2
    assert "no part 'weights'" in capsys.readouterr().err
