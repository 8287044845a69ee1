"""``measure study``: the record that it writes from two small models, and the records that are shipped."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest
import torch

import txlviz
from tests.analysis.small import TEXT, checkpoint
from txlviz import checkpoint as checkpoints
from txlviz import recorded
from txlviz.__main__ import main
from txlviz.analysis.evaluate import stream_losses
from txlviz.analysis.recurrences import distances
from txlviz.checkpoint import WEIGHTS
from txlviz.commands.measure import study, study_losses
from txlviz.data import load_split

ROOT = Path(__file__).parents[2] / "checkpoints"
PRESETS = ("wikitext2-2l", "wikitext2-4l")
M = 16


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A preset of two small models, a corpus, and the record made of them."""
    path = tmp_path_factory.mktemp("study")
    for kind in ("xl", "vanilla"):
        source = checkpoint(kind)
        checkpoints.save(path / "small" / kind, source.model, source.tokenizer, {"preset": "small"})
    for split, times in (("train", 6), ("valid", 4), ("test", 2)):
        (path / f"wiki.{split}.tokens").write_text(TEXT * times)
    assert main(["measure", "study", "small", "losses", "texts", *options(path)]) == 0
    return path


def options(folder: Path) -> list[str]:
    return ["--data-dir", str(folder), "--checkpoints", str(folder), "--run-dir", str(folder / "runs")]


def weights(folder: Path) -> dict[str, str | None]:
    cards = {kind: json.loads((folder / kind / "card.json").read_text()) for kind in ("xl", "vanilla")}
    return {kind: card["sha256"][WEIGHTS] for kind, card in cards.items()}


def read(folder: Path) -> dict[str, object]:
    return recorded.read(folder / "small/study.json", weights(folder / "small"))


def losses(kind: str, text: str, rows: int | None, stride: int | None = None) -> np.ndarray:
    source = checkpoint(kind)
    ids = torch.tensor([source.tokenizer.newline, *source.encode(text)])
    return stream_losses(source.model, ids, 16, rows, stride=stride).numpy().astype(np.float64)


def test_best_terms_are_those_of_evaluate(folder: Path) -> None:
    scores = read(folder)["scores"]
    for name in ("valid", "test"):
        split = load_split(name, folder)
        expected = txlviz.evaluate(checkpoint("vanilla"), split.text, stride=1, words=split.words)
        found = scores[name]["vanilla_best"]
        for field in ("token_perplexity", "word_perplexity", "bits_per_byte"):
            assert found[field] == pytest.approx(getattr(expected, field), rel=1e-4)
        assert (found["stride"], found["segment_length"], found["batch_size"], found["tokens"]) == (1, 16, 1, expected.tokens)


@pytest.mark.parametrize(("how", "stride"), [("vanilla", None), ("vanilla_best", 1)])
def test_the_gap_is_vanilla_minus_xl(folder: Path, how: str, stride: int | None) -> None:
    text = load_split("valid", folder).text
    gap = losses("vanilla", text, None, stride) - losses("xl", text, M)
    found = read(folder)["gap"][how]
    assert found["lost"] == pytest.approx((gap < 0).mean(), abs=2 / len(gap))
    assert found["mean"] == pytest.approx(gap.mean(), abs=1e-4)
    assert sum(found["counts"]) == len(gap)


def test_the_classes_have_the_means_of_their_tokens(folder: Path) -> None:
    text = load_split("valid", folder).text
    ids = np.array([checkpoint("xl").tokenizer.newline, *checkpoint("xl").encode(text)])
    distance = distances(ids)
    found = read(folder)["recurrences"]
    read_by = {"vanilla": losses("vanilla", text, None), **{f"xl_{rows}": losses("xl", text, rows) for rows in (0, 64, 256)}}
    beyond = distance > 16
    for name, group in (("beyond", beyond), ("rest", ~beyond)):
        row = found["beyond"][name]
        assert row["tokens"] == group.sum()
        for reading, values in read_by.items():
            assert row["loss"][reading] == pytest.approx(values[group].mean(), abs=1e-3)
        for rows in (64, 256):
            gain = (read_by["xl_0"] - read_by[f"xl_{rows}"])[group].mean()
            assert row["gain"][str(rows)]["mean"] == pytest.approx(gain, abs=1e-3)
    assert sum(row["tokens"] for row in found["classes"]) == len(distance)
    assert sum(band[side]["tokens"] for band in found["by_frequency"] for side in ("beyond", "rest")) == len(distance)
    assert found["classes"][-1]["tokens"] == len(set(ids.tolist())) - 1  # all but the newline in front


def test_the_texts_are_those_of_generate(folder: Path) -> None:
    found = read(folder)["texts"]
    sampling = txlviz.Sampling(**found["sampling"])
    for kind in ("xl", "vanilla"):
        text = txlviz.generate(checkpoint(kind), found["prompt"], 200, sampling=sampling, seed=found["seed"])
        assert found[kind]["text"] == text
        assert found[kind]["tokens"] == 200


def test_a_second_run_reads_what_is_kept_and_keeps_other_parts(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = read(folder)

    def refuse(*_: object) -> None:
        raise AssertionError("scored again")

    monkeypatch.setattr(study_losses, "_score", refuse)
    assert main(["measure", "study", "small", "losses", *options(folder), "--json"]) == 0
    assert read(folder) == before


def test_what_best_leaves_out_is_left_out(folder: Path, tmp_path: Path) -> None:
    pair = {kind: checkpoints.load(folder / "small" / kind) for kind in ("xl", "vanilla")}
    found = study.from_losses(pair, folder, folder / "runs" / "small", best=["test"])
    assert set(found["scores"]) == {"test"}
    assert set(found["gap"]) == {"vanilla"}


@pytest.mark.parametrize(
    ("arguments", "said"), [(["small", "nonsense"], "no part 'nonsense'"), (["small", "steps"], "no preset 'small' to train")]
)
def test_mistakes_end_in_one_sentence(
    folder: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], said: str
) -> None:
    assert main(["measure", "study", *arguments, *options(folder)]) == 2
    assert said in capsys.readouterr().err


@pytest.mark.parametrize("preset", PRESETS)
def test_the_shipped_record_agrees_with_the_cards(preset: str) -> None:
    values = recorded.read(ROOT / preset / "study.json", weights(ROOT / preset))
    cards = {kind: json.loads((ROOT / preset / kind / "card.json").read_text()) for kind in ("xl", "vanilla")}
    scores = {kind: card["scores"]["valid"] for kind, card in cards.items()}
    tokens = scores["xl"]["tokens"]
    nats = {kind: math.log(score["token_perplexity"]) for kind, score in scores.items()}
    assert values["gap"]["vanilla"]["mean"] == pytest.approx(nats["vanilla"] - nats["xl"], abs=1e-4)
    assert sum(values["gap"]["vanilla"]["counts"]) == tokens
    classes = values["recurrences"]["classes"]
    assert sum(row["tokens"] for row in classes) == tokens
    for reading, mean in (("vanilla", nats["vanilla"]), (f"xl_{scores['xl']['memory_length']}", nats["xl"])):
        total = sum(row["tokens"] * row["loss"][reading] for row in classes)
        assert total / tokens == pytest.approx(mean, abs=1e-3)
    by_memory = cards["xl"]["valid_loss_by_memory"]
    total = sum(row["tokens"] * row["loss"]["xl_0"] for row in classes)
    assert total / tokens == pytest.approx(by_memory["0"], abs=1e-3)
    seconds = values["steps"]["seconds"]
    assert 1 < seconds["xl"] / seconds["vanilla"] < 3
    for kind in ("xl", "vanilla"):
        assert values["texts"][kind]["tokens"] == 200


@pytest.mark.parametrize("preset", PRESETS)
def test_what_the_page_says_of_tokens_seen_long_ago(preset: str) -> None:
    found = recorded.read(ROOT / preset / "study.json", weights(ROOT / preset))["recurrences"]
    for rows in ("64", "256"):
        assert found["beyond"]["difference"][rows]["low"] > 0
    gains = {row["name"]: row["gain"]["256"]["mean"] for row in found["classes"]}
    assert abs(gains["1–64 (same segment)"]) < 0.05
    assert max(gains, key=lambda name: gains[name]) == "1–64 (before the cut)"
    assert gains["65–128"] > gains["257–512"] > gains["over 512"] > 0
    by_frequency = [band["beyond"]["gain"]["256"]["mean"] for band in found["by_frequency"]]
    assert by_frequency == sorted(by_frequency, reverse=True), "rare tokens have more to gain"


@pytest.mark.parametrize("preset", PRESETS)
def test_the_shipped_record_holds_no_text_of_the_corpus(preset: str) -> None:
    assert (ROOT / preset / "study.json").stat().st_size < 20_000


@pytest.mark.parametrize("preset", PRESETS)
def test_the_shipped_texts_come_out_again(preset: str) -> None:
    found = recorded.read(ROOT / preset / "study.json", weights(ROOT / preset))["texts"]
    for kind in ("xl", "vanilla"):
        source = txlviz.load(ROOT / preset / kind)
        sampling = txlviz.Sampling(**found["sampling"])
        text = txlviz.generate(source, found["prompt"], 20, sampling=sampling, seed=found["seed"])
        assert found[kind]["text"].startswith(text)
