"""The formula of the span, filled in."""

from __future__ import annotations

from txlviz.ui.recurrence.span import _formula


def test_the_formula_has_its_numbers() -> None:
    assert r"0 + 65 + 3 \cdot 64 \cdot 2 = 449" in _formula(4, 64, 65)
    assert r"M = 0" in _formula(4, 64, 0)
    assert "cdot" not in _formula(4, 64, 0)
