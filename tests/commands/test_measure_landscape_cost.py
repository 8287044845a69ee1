"""``measure landscape-cost``: the record that it writes, and the one that is shipped."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.analysis.small import checkpoint
from txlviz import checkpoint as checkpoints
from txlviz import recorded
from txlviz.__main__ import main
from txlviz.analysis.system_cost import position_cost, system_cost
from txlviz.checkpoint import WEIGHTS
from txlviz.models.attentions import SYSTEMS, Settings
from txlviz.models.encodings import ENCODINGS

ROOT = Path(__file__).parents[2] / "checkpoints"


def weights(folder: Path) -> dict[str, str | None]:
    cards = {kind: json.loads((folder / kind / "card.json").read_text()) for kind in ("xl", "vanilla")}
    return {kind: card["sha256"][WEIGHTS] for kind, card in cards.items()}


def check_points(values: dict[str, list[dict[str, object]]], lengths: list[int]) -> None:
    expected = {(name, n, fused) for name in SYSTEMS for n in lengths for fused in (False, True)}
    assert {(p["name"], p["n_tokens"], p["fused"]) for p in values["attention"]} == expected
    assert len(values["attention"]) == len(expected)
    expected = {
        (name, n, fused) for name in ENCODINGS for n in lengths for fused in (False, True) if (name, fused) != ("shaw", True)
    }
    assert {(p["name"], p["n_tokens"], p["fused"]) for p in values["position"]} == expected
    assert all(p["seconds"] > 0 and p["peak_bytes"] > 0 for p in (*values["attention"], *values["position"]))  # type: ignore[operator]


def test_it_measures_every_system_at_powers_of_two(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for kind in ("xl", "vanilla"):
        source = checkpoint(kind)
        checkpoints.save(tmp_path / "small" / kind, source.model, source.tokenizer, {"preset": "small"})
    assert main(["measure", "landscape-cost", "small", "--checkpoints", str(tmp_path), "--longest", "140", "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    values = recorded.read(tmp_path / "landscape/cost.json", weights(tmp_path / "small"))
    assert printed == {"file": str(tmp_path / "landscape/cost.json"), **values}
    check_points(values, [64, 128])
    assert values["preset"] == "small"
    assert values["sizes"] == {"n_heads": 3, "d_model": 24, "d_head": 8}
    assert Settings(**values["settings"]) == Settings()


def test_the_shipped_record_is_of_the_shipped_weights_and_agrees_with_the_formulas() -> None:
    values = recorded.read(ROOT / "landscape/cost.json", weights(ROOT / "wikitext2-2l"))
    check_points(values, [2**power for power in range(6, 14)])
    config = checkpoints.load(ROOT / "wikitext2-2l/vanilla").config
    settings = Settings(**values["settings"])
    for point in values["attention"]:
        if not point["fused"] and point["n_tokens"] >= 256:
            expected = system_cost(config, point["name"], point["n_tokens"], settings).peak_bytes
            assert point["peak_bytes"] == pytest.approx(expected, rel=0.15)
    for point in values["position"]:
        if not point["fused"] and point["n_tokens"] >= 256:
            expected = position_cost(config, point["name"], point["n_tokens"]).peak_bytes
            assert point["peak_bytes"] == pytest.approx(expected, rel=0.15)
