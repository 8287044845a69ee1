"""``python -m txlviz generate``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import txlviz
from txlviz.__main__ import main
from txlviz.generation import GREEDY

XL = Path(__file__).parents[2] / "checkpoints/wikitext2-2l/xl"


def test_it_goes_on_with_the_prompt(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["generate", str(XL), "The river", "--tokens", "9", "--temperature", "0", "-M", "32"]) == 0
    expected = txlviz.generate(txlviz.load(XL), "The river", 9, memory_length=32, sampling=GREEDY)
    assert capsys.readouterr().out == f"The river{expected}\n"


def test_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["generate", str(XL), "The river", "--tokens", "5", "--seed", "3", "--top-k", "20", "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["continuation"] == txlviz.generate(
        txlviz.load(XL), "The river", 5, sampling=txlviz.Sampling(top_k=20), seed=3
    )
    assert report["tokens"] == 5
    assert report["milliseconds_per_token"] > 0


@pytest.mark.parametrize(
    ("option", "said"), [("--temperature=-1", "temperature"), ("--top-p=2", "top-p"), ("-L=0", "segment length")]
)
def test_a_mistake_is_one_sentence(option: str, said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["generate", str(XL), "The river", option]) == 2
    error = capsys.readouterr().err
    assert said in error
    assert "Traceback" not in error
