"""A memory that doesn't fit is refused by a message that names what is wrong."""

from __future__ import annotations

import re
from collections.abc import Sequence

import pytest
import torch
from torch import Tensor

from tests.models.small import random_ids, vanilla, xl


def refusal(memory: Sequence[Tensor], batch: int = 2) -> str:
    """The message with which a two-layer model of width 16 refuses the memory."""
    with pytest.raises(ValueError) as caught:  # noqa: PT011 (the callers check the message)
        xl()(random_ids(batch, 4), memory)
    return str(caught.value)


@pytest.mark.parametrize("layers", [0, 1, 3])
def test_another_number_of_layers(layers: int) -> None:
    message = refusal([torch.zeros(2, 3, 16)] * layers)
    assert re.search(rf"memory has {layers} layers.* model 2", message)


def test_the_memory_of_a_deeper_model() -> None:
    ids = random_ids(2, 4)
    assert "3 layers" in refusal(xl(n_layers=3)(ids).memory)


def test_the_memory_of_a_vanilla_model() -> None:
    ids = random_ids(2, 4)
    assert "0 layers" in refusal(vanilla()(ids).memory)


@pytest.mark.parametrize("batch", [1, 3])
def test_another_batch_size(batch: int) -> None:
    message = refusal([torch.zeros(batch, 3, 16)] * 2)
    assert f"batch of {batch}" in message
    assert "batch of 2" in message
    assert "memory=None" in message


def test_another_batch_size_even_without_rows() -> None:
    assert "batch of 1" in refusal([torch.zeros(1, 0, 16)] * 2)


def test_another_batch_size_in_a_later_layer() -> None:
    message = refusal([torch.zeros(2, 3, 16), torch.zeros(1, 3, 16)])
    assert "layer 1" in message
    assert "batch of 1" in message


def test_another_width() -> None:
    message = refusal([torch.zeros(2, 3, 16), torch.zeros(2, 3, 8)])
    assert "layer 1" in message
    assert "(2, 3, 8)" in message
    assert "(2, 3, 16)" in message


def test_another_number_of_rows_in_a_later_layer() -> None:
    message = refusal([torch.zeros(2, 3, 16), torch.zeros(2, 4, 16)])
    assert "layer 1" in message
    assert "(2, 4, 16)" in message


@pytest.mark.parametrize("shape", [(3, 16), (2, 3, 16, 1), ()])
def test_another_number_of_dimensions(shape: tuple[int, ...]) -> None:
    message = refusal([torch.zeros(shape)] * 2)
    assert "layer 0" in message
    assert str(shape) in message
