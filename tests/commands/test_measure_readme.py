"""The README's measured numbers are those of the records."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from txlviz.__main__ import main
from txlviz.checkpoint import CHECKPOINTS
from txlviz.commands.measure.readme import BEGIN, END, README, renewed

SHIPPED = README.read_text(encoding="utf-8")


def test_what_the_readme_says_is_what_the_records_say() -> None:
    assert renewed(SHIPPED, CHECKPOINTS) == SHIPPED, "write it anew: python -m txlviz measure readme"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    shutil.copytree(CHECKPOINTS, tmp_path / "checkpoints", ignore=shutil.ignore_patterns("*.safetensors"))
    (tmp_path / "README.md").write_text(SHIPPED, encoding="utf-8")
    return tmp_path


def edit(folder: Path, path: str, **fields: object) -> None:
    file = folder / "checkpoints" / path
    file.write_text(json.dumps(json.loads(file.read_text()) | fields))


def write(folder: Path) -> int:
    return main(["measure", "readme", "--checkpoints", str(folder / "checkpoints"), "--readme", str(folder / "README.md")])


def test_another_record_is_another_text(folder: Path) -> None:
    path = "wikitext2-4l/vanilla/card.json"
    scores = json.loads((folder / "checkpoints" / path).read_text())["scores"]
    scores["valid"]["token_perplexity"] = 80.856
    edit(folder, path, scores=scores)
    assert write(folder) == 0
    text = (folder / "README.md").read_text(encoding="utf-8")
    assert "| 4 layers, vanilla in segments | 1,319,424 | – | 80.9 |" in text
    assert "(50.0 % lower)" in text
    assert text.partition(BEGIN)[0] == SHIPPED.partition(BEGIN)[0]
    assert text.partition(END)[2] == SHIPPED.partition(END)[2]


@pytest.mark.parametrize(
    ("losses", "words"),
    [
        ({"0": 4.0, "64": 3.9, "256": 3.8}, "each longer memory that was tried has a lower loss"),
        ({"0": 4.0, "64": 3.8, "256": 3.9}, "the loss is lowest with M = 64; M = 256 costs 0.100 nats more"),
        ({"0": 4.0, "64": 4.1, "256": 3.8}, "the loss is lowest with M = 256 "),
    ],
)
def test_what_memory_does_is_said_by_the_record(folder: Path, losses: dict[str, float], words: str) -> None:
    edit(folder, "wikitext2-4l/xl/card.json", valid_loss_by_memory=losses)
    assert write(folder) == 0
    assert f"With 4 layers {words}" in " ".join((folder / "README.md").read_text(encoding="utf-8").split())


def test_what_is_missing_ends_in_a_sentence(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    edit(folder, "wikitext2-4l/study.json", scores={})
    assert write(folder) == 2
    assert "incomplete: it has no 'valid'" in capsys.readouterr().err
    (folder / "README.md").write_text("# No marks")
    assert write(folder) == 2
    assert f"the README has no {BEGIN}" in capsys.readouterr().err
