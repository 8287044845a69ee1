"""The command line from end to end: train a model on a small corpus, score it, and be told what is wrong."""

from __future__ import annotations

import json
import random
from pathlib import Path

import datasets
import pytest
import torch

import txlviz
from txlviz.__main__ import main
from txlviz.data import load_split


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Sentences of a made-up grammar in WikiText's spelling."""
    folder = tmp_path_factory.mktemp("corpus")
    draw = random.Random(0)
    people, places = ["the miller", "a <unk> sailor", "Ada 's aunt"], ["the well @-@ known mill", "St. Mary 's", "a bridge"]
    for name, lines in (("train", 700), ("valid", 40), ("test", 40)):
        text = [
            f" {draw.choice(people)} saw {draw.choice(places)} , and left in {draw.randint(1700, 1999)} . \n"
            for _ in range(lines)
        ]
        (folder / f"wiki.{name}.tokens").write_text(" \n = A title = \n \n" + "".join(text), encoding="utf-8")
    return folder


@pytest.fixture(scope="module", params=["xl", "vanilla"])
def trained(request: pytest.FixtureRequest, corpus: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A checkpoint folder after six steps."""
    folder = tmp_path_factory.mktemp("trained")
    common = ["--data-dir", str(corpus), "--out", str(folder / "out"), "--run-dir", str(folder / "run"), "--steps", "6"]
    assert main(["train", "wikitext2-2l", request.param, *common]) == 0
    return folder


def test_training_leaves_a_checkpoint_with_a_card(trained: Path, corpus: Path) -> None:
    source = txlviz.load(trained / "out")
    card = source.card
    assert "isn't WikiText-2" in card["data"]["name"]
    assert "licence" not in card["data"]
    assert card["command"].endswith(f"train wikitext2-2l {source.config.kind} --threads {torch.get_num_threads()} --steps 6")
    assert card["parameters"] == source.model.parameter_count()
    assert card["data"]["detokenisation_invertible"] is True
    assert card["data"]["words"]["valid"] == load_split("valid", corpus).words
    assert card["budget"]["steps"] == 6
    assert card["settings"]["seed"] == 1
    assert card["versions"]["torch"] == card["machine"]["torch"]
    assert card["curve"]["step"] == [6]
    assert card["curve"]["valid_loss"][0] > 0
    assert set(card["scores"]) == {"valid", "test"}
    if source.is_xl:
        losses = {int(m): loss for m, loss in card["valid_loss_by_memory"].items()}
        assert losses[source.config.mem_len] <= min(losses[m] for m in losses if m >= 64) + 0.001 + 1e-5  # as rounded


def test_evaluate_prints_one_object_that_equals_the_api_and_the_card(
    trained: Path, corpus: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["evaluate", str(trained / "out"), "--split", "valid", "--data-dir", str(corpus), "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    source, split = txlviz.load(trained / "out"), load_split("valid", corpus)
    result = txlviz.evaluate(source, split.text, words=split.words)
    for name in ("token_perplexity", "word_perplexity", "bits_per_byte", "tokens", "words"):
        assert report[name] == pytest.approx(getattr(result, name))
        assert source.card["scores"]["valid"][name] == pytest.approx(report[name], rel=1e-4)
    assert report["model"] == f"wikitext2-2l/{source.config.kind}"
    assert (report["split"], report["segment_length"], report["batch_size"], report["stride"]) == ("valid", 64, 1, 64)
    assert report["memory_length"] == source.config.mem_len


def test_evaluate_a_file_with_settings(trained: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "text.txt"
    file.write_text("the miller saw a bridge, and left in 1801.\n" * 4, encoding="utf-8")
    source = txlviz.load(trained / "out")
    extra = ["-M", "32"] if source.is_xl else ["--stride", "1"]
    assert main(["evaluate", str(trained / "out"), "--file", str(file), "-L", "16", "--json", *extra]) == 0
    report = json.loads(capsys.readouterr().out)
    settings = {"memory_length": 32} if source.is_xl else {"stride": 1}
    result = txlviz.evaluate(source, file.read_text(), 16, **settings)  # type: ignore[arg-type]
    assert report["token_perplexity"] == pytest.approx(result.token_perplexity)
    assert report["words"] == 4 * 9 + 4
    assert main(["evaluate", str(trained / "out"), "--file", str(file), "-L", "16", *extra]) == 0
    assert "token perplexity" in capsys.readouterr().out


def test_resuming_a_finished_run_writes_the_same_checkpoint(trained: Path, corpus: Path, tmp_path: Path) -> None:
    source = txlviz.load(trained / "out")
    common = ["--data-dir", str(corpus), "--out", str(tmp_path), "--run-dir", str(trained / "run"), "--steps", "6"]
    assert main(["train", "wikitext2-2l", source.config.kind, *common, "--resume"]) == 0
    assert txlviz.load(tmp_path).card["sha256"] == source.card["sha256"]


def test_resuming_with_other_settings_is_one_sentence(trained: Path, corpus: Path, capsys: pytest.CaptureFixture[str]) -> None:
    kind = txlviz.load(trained / "out").config.kind
    common = ["--data-dir", str(corpus), "--out", str(trained / "x"), "--run-dir", str(trained / "run"), "--steps", "7"]
    assert main(["train", "wikitext2-2l", kind, *common, "--resume"]) == 2
    assert "steps = 6, not 7" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["evaluate", "nowhere", "--file", "x"], "no such folder"),
        (["train", "wikitext2-2l", "xl", "--out", "OUT", "--data-dir", "nowhere"], "--data-dir must name a folder"),
        (["train", "wikitext2-2l", "xl", "--out", "FILE/x"], "FILE"),
        (["train", "wikitext2-2l", "xl", "--out", "OUT", "--data-dir", "SHORT"], "too few"),
    ],
)
def test_mistakes_end_in_one_sentence(
    arguments: list[str], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "FILE").touch()
    (tmp_path / "SHORT").mkdir()
    for name in ("train", "valid", "test"):
        (tmp_path / "SHORT" / f"wiki.{name}.tokens").write_text(" a short text . \n")
    assert main(arguments) == 2
    error = capsys.readouterr().err
    assert message in error
    assert "Traceback" not in error


@pytest.mark.parametrize("option", ["--steps", "--save-every", "--threads"])
@pytest.mark.parametrize("value", ["0", "-3", "x"])
def test_counts_are_at_least_one(option: str, value: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        main(["train", "wikitext2-2l", "xl", option, value])
    assert caught.value.code == 2
    assert "isn't a whole number of at least 1" in capsys.readouterr().err


def test_infinity_is_no_json(trained: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "x").write_text("你好" * 600, encoding="utf-8")  # one word
    assert main(["evaluate", str(trained / "out"), "--file", str(tmp_path / "x"), "--json"]) == 0
    report = json.loads(capsys.readouterr().out, parse_constant=lambda name: pytest.fail(name))
    assert report["word_perplexity"] is None
    assert report["words"] == 2


def test_no_network_and_no_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def refuse(*args: object, **kwargs: object) -> None:
        raise ConnectionError("no route")

    monkeypatch.setattr(datasets, "load_dataset", refuse)
    monkeypatch.chdir(tmp_path)
    assert main(["train", "wikitext2-2l", "xl"]) == 2
    error = capsys.readouterr().err
    assert "hub" in error
    assert "--data-dir" in error


@pytest.mark.parametrize("content", [b"\xff\xfe\x00", b""])
def test_a_file_that_is_no_text_or_empty(
    trained: Path, tmp_path: Path, content: bytes, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "x").write_bytes(content)
    assert main(["evaluate", str(trained / "out"), "--file", str(tmp_path / "x")]) == 2
    assert ("isn't UTF-8" if content else "empty") in capsys.readouterr().err
