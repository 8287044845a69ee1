"""The span's charts: every number of the tables stands in them, and the past is to the left."""

from __future__ import annotations

import numpy as np
import pytest

from txlviz import memory_span
from txlviz.analysis.span_growth import staircase as stairs
from txlviz.figures.span import COMPUTED, MEASURED, PRODUCT, Inks, breakpoints, by_layer, staircase

INKS = Inks("#332288", "#222222")


def rows(spec: dict, series: str) -> list[dict]:
    return [row for data in spec["datasets"].values() for row in data if row.get("series") == series]


@pytest.mark.parametrize(("L", "longest"), [(8, 24), (64, 256), (256, 768), (8, 512)])
def test_both_ends_of_each_step_are_drawn(L: int, longest: int) -> None:
    lengths = breakpoints(L, longest)
    assert lengths == sorted(set(lengths))
    assert (lengths[0], lengths[-1]) == (0, longest)
    assert {k * L + one for k in range(longest // L) for one in (0, 1)} <= set(lengths)
    # Between them the line that is drawn is the staircase itself.
    everywhere = stairs(4, L, range(longest + 1))
    np.testing.assert_allclose(np.interp(range(longest + 1), lengths, everywhere[lengths]), everywhere)


def test_the_staircase_holds_computed_measured_and_the_product() -> None:
    lengths = [0, 1, 8, 9, 16]
    chart, facts = staircase(lengths, stairs(3, 8, lengths).tolist(), {1: 17, 9: 41}, 3, 9, INKS)
    assert facts["tokens back, computed"].tolist() == [0, 17, 24, 41, 48]
    assert facts["tokens back, measured"].dropna().tolist() == [17, 41]
    assert facts["N·M"].tolist() == [0, 3, 24, 27, 48]
    spec = chart.to_dict()
    found = {(row["M (rows kept)"], row["tokens back"]) for row in rows(spec, COMPUTED)}
    assert found == set(zip(lengths, [0, 17, 24, 41, 48], strict=True))
    assert {(row["M (rows kept)"], row["tokens back"]) for row in rows(spec, MEASURED)} == {(1, 17), (9, 41)}
    assert {row["tokens back"] for row in rows(spec, PRODUCT)} == {0, 3, 24, 27, 48}


@pytest.mark.parametrize("sizes", [(1, 8, 8), (4, 8, 0), (16, 8, 3), (3, 1, 2)])
def test_the_layers_run_from_the_first_to_the_last_position(sizes: tuple[int, int, int]) -> None:
    spans = memory_span(*sizes)
    ends = spans[:, [0, -1]]
    chart, facts = by_layer(ends, ends, sizes[1] - 1, INKS)
    assert facts["layer"].tolist() == list(range(1, sizes[0] + 1))
    assert facts["p = 0"].tolist() == facts["p = 0, measured"].tolist() == spans[:, 0].tolist()
    assert facts["p = L − 1"].tolist() == spans[:, -1].tolist()
    spec = chart.to_dict()
    assert {row["tokens back"] for row in rows(spec, MEASURED)} == {*spans[:, 0].tolist(), *spans[:, -1].tolist()}
    left, right = spec["layer"][0]["encoding"]["x"]["scale"]["domain"]
    assert left > right == 0
    assert by_layer(ends, None, sizes[1] - 1, INKS)[1]["p = 0, measured"].isna().all()
