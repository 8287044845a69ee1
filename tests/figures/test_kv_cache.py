"""The chart of what fewer rows cost: a bar a token, the scale centred on zero."""

from __future__ import annotations

import numpy as np
import pytest

from txlviz.figures.kv_cache import by_token


def test_each_token_has_its_change() -> None:
    losses = np.array([0.0, -0.5, 2.0], dtype=np.float32)
    chart, facts = by_token(["↵", "<b>", "\n", "c"], losses, (0, 2), "#332288")
    assert facts["place"].tolist() == [1, 2, 3]
    assert facts["token"].tolist() == ["<b>", "\n", "c"]
    assert facts["change (nats)"].tolist() == [0.0, -0.5, 2.0]
    low, high = chart.to_dict()["layer"][1]["encoding"]["y"]["scale"]["domain"]
    assert (low, high) == (-2.0, 2.0)


@pytest.mark.parametrize("losses", [[], [0.0]])
def test_nothing_changed(losses: list[float]) -> None:
    chart, facts = by_token(["↵", "a"], np.array(losses, dtype=np.float32), (0,), "#332288")
    assert len(facts) == len(losses)
    assert chart.to_dict()
