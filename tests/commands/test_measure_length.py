"""``python -m txlviz measure length``: what is written is what was measured."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

import txlviz
from txlviz import recorded
from txlviz.__main__ import main
from txlviz.analysis.extrapolation import losses_by_length
from txlviz.data import load_split

SHIPPED = Path(__file__).parents[2] / "checkpoints"
PRESET = "wikitext2-2l"
LINE = " The river runs past the old mill , and the miller 's daughter reads by the river until the evening comes . \n"


@pytest.fixture
def folders(tmp_path: Path) -> tuple[Path, Path]:
    """A corpus of a few lines, and a copy of one pair of checkpoints without its record."""
    data, copies = tmp_path / "data", tmp_path / "checkpoints"
    data.mkdir()
    for split in ("train", "valid", "test"):
        (data / f"wiki.{split}.tokens").write_text(" \n = River = \n \n" + LINE * 4)
    shutil.copytree(SHIPPED / PRESET, copies / PRESET, ignore=shutil.ignore_patterns("*.json.tmp", "length.json"))
    return data, copies


def test_the_record_holds_the_measured_losses(folders: tuple[Path, Path], capsys: pytest.CaptureFixture[str]) -> None:
    data, copies = folders
    command = ["measure", "length", PRESET, "--data-dir", str(data), "--checkpoints", str(copies), "--lengths", "16", "64"]
    assert main([*command, "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    pair = {kind: txlviz.load(copies / PRESET / kind) for kind in ("xl", "vanilla")}
    hashes = {kind: source.card["sha256"]["model.safetensors"] for kind, source in pair.items()}
    found = recorded.read(copies / PRESET / "length.json", hashes)
    assert said == {"file": str(copies / PRESET / "length.json"), **found}
    text = load_split("valid", data).text
    assert found["tokens"] == len(pair["xl"].encode(text))
    M = found["memory_length"]
    for name, kind, rows in (("vanilla", "vanilla", 0), ("xl_no_memory", "xl", 0), ("xl", "xl", M)):
        assert found["curves"][name] == pytest.approx(list(losses_by_length(pair[kind], text, (16, 64), rows)), rel=1e-4)
    assert main(command) == 0
    assert "L = 64" in capsys.readouterr().out


def test_a_length_of_zero_is_a_mistake(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["measure", "length", "--lengths", "0"])
    assert "at least 1" in capsys.readouterr().err


def test_an_unknown_preset_ends_in_one_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["measure", "length", "nothing", "--data-dir", str(tmp_path)]) == 2
    assert "no such folder" in capsys.readouterr().err
