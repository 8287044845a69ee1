"""``python -m txlviz measure prompts``: what is written is what was measured, and what is shipped says what the page says."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

import txlviz
from txlviz import recorded
from txlviz.__main__ import main
from txlviz.analysis.prompts import measure, parse
from txlviz.commands.measure import prompts
from txlviz.content import sections

SHIPPED = Path(__file__).parents[2] / "checkpoints"
PRESET = "wikitext2-2l"


def test_the_record_holds_the_measured_chances(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for kind in ("xl", "vanilla"):
        shutil.copytree(SHIPPED / PRESET / kind, tmp_path / PRESET / kind)
    two = dict(list(sections("prompts").items())[:2])
    monkeypatch.setattr(prompts, "sections", lambda _: two)
    command = ["measure", "prompts", PRESET, "--checkpoints", str(tmp_path)]
    assert main([*command, "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    pair = {kind: txlviz.load(tmp_path / PRESET / kind) for kind in ("xl", "vanilla")}
    hashes = {kind: source.card["sha256"]["model.safetensors"] for kind, source in pair.items()}
    found = recorded.read(tmp_path / PRESET / "prompts.json", hashes)
    assert said == {"file": str(tmp_path / PRESET / "prompts.json"), **found}
    for text, prompt in zip(found["texts"], parse(two), strict=True):
        expected = measure(pair["xl"], pair["vanilla"], prompt)
        assert (text["name"], text["distance"]) == (prompt.name, expected.distance)
        assert text["chances"] == {name: [one.mentioned, one.replaced] for name, one in expected.chances.items()}
    assert main(command) == 0
    assert "The lighthouse keeper" in capsys.readouterr().out


@pytest.mark.parametrize("preset", ["wikitext2-2l", "wikitext2-4l"])
def test_the_shipped_record(preset: str) -> None:
    """The replaced mention lowers XL's probability in most texts once the memory reaches it, and vanilla's in none."""
    hashes = {
        kind: json.loads((SHIPPED / preset / kind / "card.json").read_text())["sha256"]["model.safetensors"]
        for kind in ("xl", "vanilla")
    }
    texts = recorded.read(SHIPPED / preset / "prompts.json", hashes)["texts"]
    assert [text["name"] for text in texts] == list(sections("prompts"))
    for model in ("vanilla", "xl 0"):
        assert all(text["chances"][model][0] == text["chances"][model][1] for text in texts), "it can't see the mention"
    for M in (128, 256):
        lowered = sum(text["chances"][f"xl {M}"][1] < text["chances"][f"xl {M}"][0] for text in texts)
        assert lowered >= 31


def test_an_unknown_preset_ends_in_one_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["measure", "prompts", "nothing"]) == 2
    assert "no such folder" in capsys.readouterr().err
