"""The window of the cone, and the nodes in it."""

from __future__ import annotations

import numpy as np
import pytest

from txlviz.figures.cone import Window, nodes, rounded, window


@pytest.mark.parametrize(
    ("furthest", "place", "L", "total", "expected"),
    [
        (24, 60, 8, 200, Window(21, 64)),  # a bit before the furthest, to the end of the segment
        (0, 5, 8, 200, Window(0, 8)),  # not before the text
        (190, 198, 8, 199, Window(187, 199)),  # not after it
        (100, 1100, 64, 2000, Window(13, 1152)),
    ],
)
def test_the_window(furthest: int, place: int, L: int, total: int, expected: Window) -> None:
    assert window(furthest, place, L, total) == expected


def test_the_nodes_are_those_in_the_window() -> None:
    reach = np.zeros((2, 10), dtype=bool)
    reach[0, 3:7], reach[1, 6] = True, True
    values = np.arange(20.0).reshape(2, 10) / 7
    found = nodes(
        Window(2, 8),
        reach=reach,
        first_visible=np.arange(10) - 1,
        tokens=[f"t{n}" for n in range(10)],
        segment_length=4,
        values=values,
    )
    assert found["first"] == 2
    assert found["tokens"] == ["t2", "t3", "t4", "t5", "t6", "t7"]
    assert found["segments"] == [0, 4]
    assert found["sees"] == [1, 2, 3, 4, 5, 6]
    assert found["reach"] == ["011110", "000010"]
    np.testing.assert_allclose(found["values"], values[:, 2:8], rtol=1e-3)


def test_few_digits_but_nothing_becomes_zero() -> None:
    assert rounded(np.array([0.0, 1e-30, 0.123456, 12345.6])) == [0.0, 1e-30, 0.1235, 12350.0]
