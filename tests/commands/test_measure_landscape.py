"""``python -m txlviz measure landscape``: trains, ships, and records what the shipped weights score."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
import torch

import txlviz
from txlviz.__main__ import main
from txlviz.analysis import landscape_record
from txlviz.analysis.evaluate import evaluate
from txlviz.data import load_split

SHIPPED = Path(__file__).parents[2] / "checkpoints"
LINE = " The river runs past the old mill , and the miller 's daughter reads by the river until the evening comes . \n"
STEPS = 3


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path, list[str]]:
    """A corpus of a few lines, a folder with the preset whose tokenizer is used, and the command but its ``--only``."""
    root = tmp_path_factory.mktemp("landscape")
    data, copies = root / "data", root / "checkpoints"
    data.mkdir()
    for split, times in (("train", 320), ("valid", 8), ("test", 1)):
        (data / f"wiki.{split}.tokens").write_text(" \n = River = \n \n" + LINE * times)
    shutil.copytree(SHIPPED / "wikitext2-2l" / "xl", copies / "wikitext2-2l" / "xl")
    command = ["measure", "landscape", "--data-dir", str(data), "--checkpoints", str(copies), "--run-dir", str(root / "runs")]
    command += ["--steps", str(STEPS)]
    assert main([*command, "--only", "learned-full", "xl-recurrent-half"]) == 0
    return data, copies, command


def test_the_record_holds_what_the_shipped_weights_score(made: tuple[Path, Path, list[str]]) -> None:
    data, copies, _ = made
    record = landscape_record.read(copies / "landscape")
    shipped = txlviz.load(copies / "landscape" / "learned-full")
    valid = load_split("valid", data)
    run = record.runs["learned-full"]
    for way, stride in (("segments", 64), ("stride_32", 32)):
        found = evaluate(shipped, valid.text, stride=stride, words=valid.words)
        assert run["ways"][way]["word_perplexity"] == pytest.approx(found.word_perplexity, rel=1e-4)
        assert run["ways"][way]["token_perplexity"] == pytest.approx(found.token_perplexity, rel=1e-4)
    assert record.headline("learned-full") == run["ways"]["segments"]
    short = evaluate(shipped, valid.text, 32).mean_loss
    assert dict(zip(record.settings["lengths"], run["by_length"], strict=True))[32] == pytest.approx(short, rel=1e-4)
    assert [loss is None for loss in run["by_length"]] == [length > 64 for length in record.settings["lengths"]]
    assert run["parameters"] == shipped.model.parameter_count() == shipped.card["parameters"]
    assert run["tokens"] == run["targets"] == STEPS * 32 * 64


def test_a_recurrent_run_with_half_the_loss_is_read_as_it_was_trained(made: tuple[Path, Path, list[str]]) -> None:
    run = landscape_record.read(made[1] / "landscape").runs["xl-recurrent-half"]
    assert run["targets"] * 2 == run["tokens"]
    assert run["headline"] == "memory_128_stride_32"
    assert set(run["ways"]) == {"memory_0", "memory_64", "memory_128", "memory_256", "memory_128_stride_32"}
    assert len({way["loss"] for way in run["ways"].values()}) > 1
    assert not (made[1] / "landscape" / "xl-recurrent-half").exists()


def test_shipped_weights_are_rounded_and_share_a_tokenizer(made: tuple[Path, Path, list[str]]) -> None:
    folder = made[1] / "landscape" / "learned-full"
    assert not (folder / "tokenizer.json").exists()
    shipped = txlviz.load(folder)
    assert shipped.name == "landscape/learned-full"
    assert (folder / "model.safetensors").stat().st_size < 2.1e6
    assert all(p.dtype == torch.float32 and torch.equal(p, p.half().float()) for p in shipped.model.parameters())
    assert shipped.card["command"] == "python -m txlviz measure landscape --only learned-full --threads 1"


def test_another_run_joins_the_record_and_changes_no_other(
    made: tuple[Path, Path, list[str]], capsys: pytest.CaptureFixture[str]
) -> None:
    _, copies, command = made
    before = landscape_record.read(copies / "landscape").runs
    assert main([*command, "--only", "alibi-half", "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    after = landscape_record.read(copies / "landscape").runs
    assert set(after) == {*before, "alibi-half"}
    assert {name: after[name] for name in before} == dict(before)
    assert said["alibi-half"] == after["alibi-half"]
    assert list(after) == ["learned-full", "alibi-half", "xl-recurrent-half"]  # in the order of the variants


def test_a_finished_run_is_neither_trained_nor_scored_again(
    made: tuple[Path, Path, list[str]], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    _, copies, command = made
    before = landscape_record.read(copies / "landscape")

    def refuse(*_: Any) -> None:
        raise AssertionError("it was scored again")

    monkeypatch.setattr("txlviz.analysis.variant_scores.scores", refuse)
    assert main([*command, "--only", "learned-full"]) == 0
    assert landscape_record.read(copies / "landscape") == before
    assert "learned-full" in capsys.readouterr().out


def test_other_settings_are_not_mixed_in(made: tuple[Path, Path, list[str]], capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*made[2][:-1], "4", "--only", "alibi-full"]) == 2
    assert "other settings" in capsys.readouterr().err


def test_an_unknown_run_is_a_mistake(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["measure", "landscape", "--only", "lstm"])
    assert "lstm" in capsys.readouterr().err
