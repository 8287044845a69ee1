"""``python -m txlviz claim``: numbers beside the recorded ones, the verdict, and what makes the records."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from txlviz.__main__ import main
from txlviz.checkpoint import CHECKPOINTS
from txlviz.claims import CLAIMS, record, said
from txlviz.claims.inputs import PRESETS

FIRST, LAST = min(CLAIMS), max(CLAIMS)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The shipped models, without a record of claims."""
    for preset in PRESETS.values():
        shutil.copytree(CHECKPOINTS / preset, tmp_path / preset)
    return tmp_path


def test_a_claim_is_printed_with_its_numbers_its_rule_and_its_verdict(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["claim", "7"]) == 0
    out = capsys.readouterr().out
    recorded = record.read(CHECKPOINTS)[7]
    assert f"Claim 7. {said.sentence(7)}" in out
    assert f"2 layers           {recorded['xl_2l']:,}    recorded: {recorded['xl_2l']:,}" in out
    assert "Verdict: holds, by construction\n" in out
    assert "Rule: Holds: the count is the same" in out


def test_json_holds_verdict_and_numbers_and_nothing_else(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["claim", "13", "21", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert set(found) == {"13", "21"}
    assert found["13"]["numbers"] == record.read(CHECKPOINTS)[13]
    assert found["21"]["verdict"] == "holds"


@pytest.mark.parametrize("name", ["0", str(LAST + 1), "x", "²", "1.5", ""])
def test_a_claim_that_isnt_there_ends_in_a_sentence(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["claim", name]) == 2
    said_so = capsys.readouterr().err
    assert f"there is no claim {name!r}: they are numbered from {FIRST} to {LAST}" in said_so
    assert "Traceback" not in said_so


def test_quoted_figures_are_marked(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["claim", "21"]) == 0
    assert "the paper's own figures: nothing is measured" in capsys.readouterr().out


def test_numbers_are_recorded_where_that_is_asked_for(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["claim", "13", "--checkpoints", str(folder)]) == 0
    assert "there is no record" in capsys.readouterr().err
    assert not (folder / record.FILE).exists()
    assert main(["claim", "13", "22", "--record", "--checkpoints", str(folder)]) == 0
    assert set(record.read(folder)) == {13, 22}
    capsys.readouterr()
    assert main(["claim", "22", "--checkpoints", str(folder)]) == 0
    assert "recorded: 32,768" in capsys.readouterr().out


def test_a_missing_corpus_or_record_ends_in_a_sentence(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["claim", "15", "--data-dir", str(tmp_path / "nowhere")]) == 2
    assert "wiki.valid.tokens isn't there" in capsys.readouterr().err
    (folder / PRESETS["2l"] / "context.json").unlink()
    assert main(["claim", "4", "--checkpoints", str(folder)]) == 2
    assert "context.json: there is no record" in capsys.readouterr().err


def test_an_incomplete_record_ends_in_a_sentence(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = folder / PRESETS["4l"] / "context.json"
    values = json.loads(path.read_text())
    del values["curves"]
    path.write_text(json.dumps(values))
    assert main(["claim", "4", "--checkpoints", str(folder)]) == 2
    assert "a record that claim 4 reads is incomplete: it has no 'curves'" in capsys.readouterr().err


def test_anew_first_makes_the_records(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    ran: list[list[str]] = []

    def note(words: list[str], **_: Any) -> subprocess.CompletedProcess[str]:
        ran.append(words[3:])
        return subprocess.CompletedProcess(words, 0)

    monkeypatch.setattr(subprocess, "run", note)
    assert main(["claim", "4", "10", "--anew", "--data-dir", "there"]) == 0
    common = ["--checkpoints", str(CHECKPOINTS), "--data-dir", "there"]
    assert ran == [["measure", "context", preset, *common] for preset in PRESETS.values()]  # once each, for both claims
    assert "python -m txlviz measure context wikitext2-2l" in capsys.readouterr().out


def test_a_record_that_cant_be_made_stops_the_claim(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(subprocess, "run", lambda words, **_: subprocess.CompletedProcess(words, 2))
    assert main(["claim", "4", "--train"]) == 2
    assert "“measure context wikitext2-2l” failed" in capsys.readouterr().err


@pytest.mark.parametrize("number", CLAIMS)
def test_the_commands_that_make_records_exist(number: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Their options are understood; the work itself is left out."""
    import txlviz.commands as commands
    from txlviz.commands import benchmark, train
    from txlviz.commands.measure import MEASUREMENTS

    ran: list[object] = []
    for module in (benchmark, train, *MEASUREMENTS):
        monkeypatch.setattr(module, "run", ran.append)
    assert commands
    for command in CLAIMS[number].made_by:
        assert main(command.split()) == 0
    assert len(ran) == len(CLAIMS[number].made_by)
