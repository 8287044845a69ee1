"""``python -m txlviz benchmark eval``: on tiny sizes, what is printed is what is written."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

import txlviz
from txlviz import recorded
from txlviz.__main__ import main
from txlviz.analysis import eval_record
from txlviz.analysis.flops import cached_flops, window_flops

SHIPPED = Path(__file__).parents[2] / "checkpoints"
README = SHIPPED.parent / "README.md"
PRESET = "wikitext2-2l"


@pytest.fixture(scope="module")
def copies(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("checkpoints")
    for kind in ("xl", "vanilla"):
        shutil.copytree(SHIPPED / PRESET / kind, folder / PRESET / kind)
    return folder


def read(folder: Path) -> tuple[dict[str, Any], dict[str, txlviz.Checkpoint]]:
    pair = {kind: txlviz.load(folder / PRESET / kind) for kind in ("xl", "vanilla")}
    hashes = {kind: source.card["sha256"]["model.safetensors"] for kind, source in pair.items()}
    return recorded.read(folder / PRESET / "eval_speed.json", hashes), pair


def test_the_record_holds_what_is_printed(copies: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = ["benchmark", "eval", PRESET, "--checkpoints", str(copies), "--lengths", "96", "8", "8", "--rounds", "2"]
    assert main([*command, "--json"]) == 0
    printed = capsys.readouterr()
    found, pair = read(copies)
    assert json.loads(printed.out) == {"file": str(copies / PRESET / "eval_speed.json"), **found}
    assert found["preset"] == PRESET
    assert found["rounds"] == 2
    assert found["segment_length"] == 64
    assert "processor" in found["machine"]
    assert [point["attention_length"] for point in found["points"]] == [8, 96]
    for point in found["points"]:
        A = point["attention_length"]
        assert point["xl_flops"] == round(cached_flops(pair["xl"].config, A))
        assert point["vanilla_flops"] == window_flops(pair["vanilla"].config, A)
        assert point["vanilla_flops_dense"] == window_flops(pair["vanilla"].config, A, causal=False)
        scored = min(A, 64)
        assert point["vanilla_segment_flops"] == round(window_flops(pair["vanilla"].config, A, scored=scored) / scored)
        assert min(value for key, value in point.items() if key.endswith("seconds")) > 0
    assert found["points"][1]["vanilla_seconds"] > found["points"][1]["xl_seconds"]
    assert main(command) == 0
    assert "times by FLOPs" in capsys.readouterr().out


@pytest.mark.parametrize("option", ["--lengths", "--rounds"])
def test_a_zero_is_a_mistake(option: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["benchmark", "eval", option, "0"])
    assert "at least 1" in capsys.readouterr().err


def test_an_unknown_preset_ends_in_one_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["benchmark", "eval", "nothing"]) == 2
    assert "no such folder" in capsys.readouterr().err


@pytest.mark.parametrize("preset", ["wikitext2-2l", "wikitext2-4l"])
def test_the_shipped_record(preset: str) -> None:
    hashes = {
        kind: json.loads((SHIPPED / preset / kind / "card.json").read_text())["sha256"]["model.safetensors"]
        for kind in ("xl", "vanilla")
    }
    found = recorded.read(SHIPPED / preset / "eval_speed.json", hashes)
    points = {point["attention_length"]: point for point in found["points"]}
    assert list(points) == [64, 128, 256, 512, 800, 1024, 1800, 2800, 3800]
    last = points[3800]
    configs = {kind: txlviz.load(SHIPPED / preset / kind).config for kind in ("xl", "vanilla")}
    assert last["vanilla_flops"] == window_flops(configs["vanilla"], 3800)
    assert last["xl_flops"] == round(cached_flops(configs["xl"], 3800))
    assert eval_record.clock(last) >= 400
    row = next(line for line in README.read_text(encoding="utf-8").splitlines() if "benchmark eval PRESET" in line)
    assert f"{eval_record.clock(last):,.0f} ×" in row, "the README shows the recorded figure"
    assert f"{eval_record.flops(last):,.0f} ×" in row
    for shares in found["shares"].values():
        assert sum(shares.values()) == pytest.approx(1, abs=0.002)
