"""Settings of models whose positions and pattern are chosen: what is refused, and the way to JSON and back."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.models.encodings.systems import SIZES, config
from tests.models.small import config as model_config
from txlviz.models import ModelConfig, SystemConfig, SystemTransformer, build, config_from
from txlviz.models.encodings import ENCODINGS
from txlviz.models.system_config import ENCODINGS as NAMES


def test_names_are_those_of_the_modules() -> None:
    assert tuple(ENCODINGS) == NAMES


@pytest.mark.parametrize(
    "changes",
    [
        {"encoding": "alibi"},
        {"encoding": "xl", "without": ("b", "d"), "recurrent": True, "mem_len": 5},
        {"encoding": "xl", "attention": "longformer", "window": 7, "n_global": 0},
        {"encoding": "shaw", "clip": 3},
    ],
)
def test_it_comes_back_from_json_as_it_was(changes: dict[str, Any]) -> None:
    ours = config(**changes)
    again = config_from(json.loads(json.dumps(ours.to_dict())))
    assert type(again) is SystemConfig
    assert again == ours
    assert type(build(again)) is SystemTransformer


def test_files_of_the_two_models_are_read_as_before() -> None:
    for kind in ("xl", "vanilla"):
        again = config_from(json.loads(json.dumps(model_config(kind).to_dict())))
        assert type(again) is ModelConfig
        assert again == model_config(kind)


REFUSED: list[tuple[dict[str, Any], str]] = [
    ({"kind": "xl"}, "it must be 'system'"),
    ({"encoding": "t5"}, "encoding is 't5'; it must be one of none, sinusoids"),
    ({"attention": "bigbird"}, "attention is 'bigbird'; it must be one of causal, longformer"),
    ({"window": -1}, "window is -1"),
    ({"n_global": 1.5}, "n_global is 1.5"),
    ({"clip": 0}, "clip is 0"),
    ({"recurrent": "yes"}, "recurrent is 'yes'"),
    ({"mem_len": 4}, "mem_len must be 0"),
    ({"recurrent": True, "attention": "longformer"}, "without memory"),
    ({"encoding": "xl", "without": ("e",)}, "each of 'a' to 'd' at most once"),
    ({"encoding": "xl", "without": ("a", "a")}, "each of 'a' to 'd' at most once"),
    ({"encoding": "rotary", "without": ("a",)}, "encoding 'xl' only"),
    ({"encoding": "rotary", "d_head": 7}, "d_head is 7, which is odd"),
    ({"same_length": True}, "options of the Transformer-XL itself"),
    ({"causal": False}, "bidirectional"),
]


@pytest.mark.parametrize(("changes", "words"), REFUSED, ids=[words for _, words in REFUSED])
def test_what_makes_no_sense_is_refused(changes: dict[str, Any], words: str) -> None:
    values: dict[str, Any] = {"kind": "system", **SIZES} | changes
    with pytest.raises(ValueError, match=words):
        SystemConfig(**values)


def test_a_system_is_no_kind_of_the_two_models() -> None:
    with pytest.raises(ValueError, match="kind is 'system'; it must be 'xl' or 'vanilla'"):
        ModelConfig(kind="system", **SIZES)
