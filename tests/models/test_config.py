"""Settings: what is refused and by which words, what is filled in, and the way to JSON and back."""

from __future__ import annotations

import dataclasses
import json
from typing import Any

import pytest

from tests.models.small import config
from txlviz.models import ModelConfig, TransformerXL, VanillaTransformer, build


def test_a_bidirectional_model_is_refused_by_name() -> None:
    with pytest.raises(ValueError, match="bidirectional") as caught:
        config(causal=False)
    assert "causal=False" in str(caught.value)


@pytest.mark.parametrize("name", ["vocab_size", "n_layers", "n_heads", "d_model", "d_inner", "segment_length"])
@pytest.mark.parametrize("value", [0, -1, 1.0, "8", None, True])
def test_a_size_must_be_a_whole_number_of_at_least_one(name: str, value: Any) -> None:
    with pytest.raises(ValueError, match=f"{name} is {value!r}"):
        config(**{name: value})


@pytest.mark.parametrize("value", [-1, 1.5, "8", None])
def test_mem_len_must_be_a_whole_number_of_at_least_zero(value: Any) -> None:
    with pytest.raises(ValueError, match=f"mem_len is {value!r}"):
        config(mem_len=value)


@pytest.mark.parametrize("name", ["dropout", "attention_dropout"])
@pytest.mark.parametrize("value", [-0.1, 1.0, float("nan"), float("inf")])
def test_a_dropout_must_be_a_share_below_one(name: str, value: Any) -> None:
    with pytest.raises(ValueError, match=f"^{name} is {value!r}"):
        config(**{name: value})


def test_another_kind_is_refused() -> None:
    with pytest.raises(ValueError, match="kind is 'lstm'"):
        config(kind="lstm")


def test_a_vanilla_model_with_memory_is_refused() -> None:
    with pytest.raises(ValueError, match="vanilla model has no memory"):
        config(kind="vanilla", mem_len=1)


def test_d_head_is_a_share_of_d_model_unless_given() -> None:
    assert config(d_model=16, n_heads=4).d_head == 4
    assert config(d_model=16, n_heads=4, d_head=7).d_head == 7
    assert config(d_model=10, n_heads=4, d_head=7).d_head == 7


def test_a_width_that_heads_cannot_share_is_refused() -> None:
    with pytest.raises(ValueError, match=r"d_model \(10\) isn't a multiple of n_heads \(4\): give d_head"):
        config(d_model=10, n_heads=4)


def test_it_cannot_be_changed() -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        config().d_model = 3  # type: ignore[misc]


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"kind": "vanilla"},
        {"d_head": 5, "segment_length": 7, "mem_len": 0, "same_length": True, "clamp_len": 9, "tie_uv": True},
        {"dropout": 0.1, "attention_dropout": 0.2},
    ],
)
def test_it_comes_back_from_json_as_it_was(changes: dict[str, Any]) -> None:
    ours = config(**changes)
    assert ModelConfig.from_dict(json.loads(json.dumps(ours.to_dict()))) == ours


def test_every_field_is_written() -> None:
    assert set(config().to_dict()) == {field.name for field in dataclasses.fields(ModelConfig)}


def test_a_changed_value_is_not_lost_on_the_way() -> None:
    values = config().to_dict() | {"clamp_len": 123}
    assert ModelConfig.from_dict(values).clamp_len == 123


def test_an_unknown_name_is_refused() -> None:
    with pytest.raises(ValueError, match="unknown setting 'd_modell'"):
        ModelConfig.from_dict(config().to_dict() | {"d_modell": 3})


@pytest.mark.parametrize("name", ["kind", "vocab_size", "n_layers", "n_heads", "d_model", "d_inner"])
def test_a_missing_name_is_refused(name: str) -> None:
    values = config().to_dict()
    del values[name]
    with pytest.raises(ValueError, match=f"'{name}' is missing"):
        ModelConfig.from_dict(values)


def test_what_has_a_default_may_be_left_out() -> None:
    least = {"kind": "xl", "vocab_size": 40, "n_layers": 2, "n_heads": 2, "d_model": 16, "d_inner": 24}
    assert ModelConfig.from_dict(least) == config(mem_len=0)


def test_the_kind_decides_which_model_is_built() -> None:
    assert type(build(config("xl"))) is TransformerXL
    assert type(build(config("vanilla"))) is VanillaTransformer
