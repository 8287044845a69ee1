"""``python -m txlviz measure all``: what is stale, why, and that only this is measured."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from txlviz import recorded
from txlviz.__main__ import main
from txlviz.checkpoint import CHECKPOINTS, CONFIG, WEIGHTS
from txlviz.commands.measure import everything, stale
from txlviz.commands.measure.plan import PLAN, Record

POSITION = next(record for record in PLAN if record.path == "wikitext2-2l/position.json")
CLAIMS = PLAN[-1]
Ran = list[list[str]]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of what is shipped, marked as measured by today's code."""
    monkeypatch.chdir(tmp_path)
    copy = tmp_path / "checkpoints"
    shutil.copytree(CHECKPOINTS, copy)
    for record in PLAN:
        stale.accept(record, copy)
    return copy


@pytest.fixture
def ran(monkeypatch: pytest.MonkeyPatch) -> Ran:
    """The commands that were started: they measure nothing, and leave a record of the weights that are there."""
    started: Ran = []

    def note(words: list[str], **_: Any) -> subprocess.CompletedProcess[str]:
        started.append(words[3:])
        record = next(one for one in PLAN if words[3:][: len(one.command.split())] == one.command.split())
        folder = Path(words[words.index("--checkpoints") + 1])
        weights = {name: stale._sha256(folder / checkpoint / WEIGHTS) for name, checkpoint in record.weights.items()}
        recorded.write(folder / record.path, {"measured": len(started)}, weights, record.by)
        return subprocess.CompletedProcess(words, 0)

    monkeypatch.setattr(subprocess, "run", note)
    return started


@pytest.fixture
def measure(folder: Path, capsys: pytest.CaptureFixture[str]) -> Callable[..., dict[str, str]]:
    """Runs the command, and returns what it says of each record."""

    def run(*options: str, status: int = 0) -> dict[str, str]:
        assert main(["measure", "all", "--checkpoints", str(folder), *options]) == status
        lines = (line.split(maxsplit=1) for line in capsys.readouterr().out.splitlines())
        return {path: said.strip() for path, said in lines}

    return run


def other_weights(folder: Path, checkpoint: str) -> None:
    path = folder / checkpoint / WEIGHTS
    path.write_bytes(path.read_bytes()[:-1] + b"\x7f")


def test_nothing_is_measured_where_all_is_fresh(ran: Ran, measure: Callable[..., dict[str, str]]) -> None:
    assert set(measure().values()) == {"fresh"}
    assert ran == []


def test_other_weights_make_their_records_stale_and_no_others(folder: Path, measure: Callable[..., dict[str, str]]) -> None:
    other_weights(folder, "wikitext2-2l/xl")
    said = measure("--dry-run")
    for record in PLAN:
        of_it = "wikitext2-2l/xl" in record.weights.values()
        assert said[record.path].startswith("stale: wikitext2-2l/xl has other weights") == of_it, record.path
        assert (stale.mismatch(record, folder) is not None) == of_it
        assert (said[record.path] == "fresh") != of_it


def test_a_missing_one_is_measured_and_then_fresh(folder: Path, ran: Ran, measure: Callable[..., dict[str, str]]) -> None:
    (folder / POSITION.path).unlink()
    said = measure("--data-dir", "there")
    assert said[POSITION.path].startswith("done in")
    assert said[POSITION.path].endswith("stale: there is none")
    assert ran == [["measure", "position", "wikitext2-2l", "--checkpoints", str(folder), "--data-dir", "there"]]
    assert set(measure().values()) == {"fresh"}


def test_other_code_and_another_memory(folder: Path, measure: Callable[..., dict[str, str]]) -> None:
    recorded.stamp(folder / POSITION.path, {"code": "0" * 64})
    assert measure("--dry-run")[POSITION.path] == "stale: the code that measures it has changed"
    assert measure("--accept-code")[POSITION.path] == "accepted as today's"
    assert measure("--dry-run")[POSITION.path] == "fresh"
    path = folder / "wikitext2-2l/xl" / CONFIG
    path.write_text(json.dumps({**json.loads(path.read_text()), "mem_len": 128}))
    assert "M = 256, and the model's own is 128" in measure("--dry-run")[POSITION.path]
    assert "M = 256" in measure("--accept-code")[POSITION.path], "code alone can be accepted"


def test_what_is_made_from_a_record_follows_it(folder: Path, ran: Ran, measure: Callable[..., dict[str, str]]) -> None:
    path = folder / "wikitext2-2l/study.json"
    path.write_text(path.read_text().replace('"memory_length"', '"rows"', 1))
    assert measure("--dry-run")[CLAIMS.path] == "stale: wikitext2-2l/study.json has other values than it was made from"
    path.unlink()
    said = measure()
    assert [words[:2] for words in ran] == [["measure", "study"], ["claim", "all"]]
    assert "--run-dir" in ran[0], "what a stopped run keeps"
    assert said[CLAIMS.path].startswith("done")
    assert set(measure().values()) == {"fresh"}


def test_a_failure_holds_up_only_what_needs_it(
    folder: Path, monkeypatch: pytest.MonkeyPatch, ran: Ran, measure: Callable[..., dict[str, str]]
) -> None:
    works = subprocess.run
    fails = lambda words, **rest: (  # noqa: E731
        subprocess.CompletedProcess(words, 2) if "study" in words else works(words, **rest)
    )
    monkeypatch.setattr(subprocess, "run", fails)
    for name in ("wikitext2-2l/study.json", "wikitext2-4l/length.json"):
        (folder / name).unlink()
    said = measure(status=2)
    assert said["wikitext2-2l/study.json"] == "failed; stale: there is none"
    assert said["wikitext2-4l/length.json"].startswith("done")
    assert said[CLAIMS.path] == "left out: it is made from wikitext2-2l/study.json"


def test_nothing_is_trained_unasked(folder: Path, ran: Ran, measure: Callable[..., dict[str, str]]) -> None:
    recorded.stamp(folder / "tasks/echo/record.json", {"code": "0" * 64})
    assert measure()["tasks/echo/record.json"].endswith("it takes training: --train")
    assert ran == []
    assert measure("--train")["tasks/echo/record.json"].startswith("done")
    assert len(ran) == 1


def test_one_preset(measure: Callable[..., dict[str, str]]) -> None:
    said = measure("--preset", "wikitext2-4l", "--dry-run")
    assert said
    assert all(path.startswith("wikitext2-4l/") for path in said)


@pytest.mark.parametrize("record", PLAN, ids=lambda record: record.path)
def test_its_command_is_understood(record: Record, monkeypatch: pytest.MonkeyPatch) -> None:
    from txlviz.commands import benchmark, claim
    from txlviz.commands import record as record_command
    from txlviz.commands.measure import MEASUREMENTS

    ran: list[object] = []
    for module in (benchmark, claim, record_command, *MEASUREMENTS):
        monkeypatch.setattr(module, "run", ran.append)
    options = ["--checkpoints", "there", *(["--data-dir", "here"] if record.corpus else [])]
    options += ["--run-dir", "runs"] if record.runs else []
    assert main([*record.command.split(), *options]) == 0
    assert len(ran) == 1
    assert everything in MEASUREMENTS
