"""The words and numbers of the Recurrence and memory page."""

from __future__ import annotations

import pytest

from txlviz.ui.recurrence.words import size, words


@pytest.mark.parametrize(
    ("value", "shown"),
    [(0.0, "0"), (1.04e-5, "1.0 × 10⁻⁵"), (9.96e-6, "1.0 × 10⁻⁵"), (0.5, "0.5"), (12.34, "12"), (0.0012, "1.2 × 10⁻³")],
)
def test_small_numbers_are_written_as_people_do(value: float, shown: str) -> None:
    assert size(value) == shown


def test_the_labels_are_one_a_line() -> None:
    assert words("stepper")["play"] == "Play"
    assert words("labels")["jump"] == "M ="
