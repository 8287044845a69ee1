"""RECL against an example worked out by hand, and against its definition."""

from __future__ import annotations

import math

import numpy as np
import pytest

import txlviz
from txlviz.analysis.recl import effective_contexts

CONTEXTS = [10, 20, 30, 40]

# Three models, ten positions. With r = 0.2 two positions count: those where the best of the three does worst. With 10 tokens of
# context that is positions 3 and 7: b = 6 and 5 there, and at most 2 elsewhere. Model A falls there by 1 nat with each context;
# B is the best at 10, and stays as it is; C is bad, and gets better only where it doesn't count.
A = np.full((4, 10), 2.0)
A[:, 3] = [6.0, 5.0, 4.0, 3.0]
A[:, 7] = [5.0, 4.0, 3.0, 2.0]
B = np.full((4, 10), 1.5)
B[:, 3] = [6.0, 6.0, 6.0, 6.0]
B[:, 7] = [5.0, 5.0, 5.0, 5.0]
C = np.full((4, 10), 9.0)
C[:, 0] = [9.0, 5.0, 2.0, 1.0]
GROUP = {"A": A, "B": B, "C": C}


def test_the_example_worked_out_by_hand():
    """f_A(10, 10) = (6 + 5) / 2 = 5.5 and f_A(10, 20) = (5 + 4) / 2 = 4.5, so g_A = 1 - exp(-1) = 0.632: A goes on, and does so
    until the contexts end. f_B(10, 20) = 5.5: no gain, B stops at 10. f_C(10, 20) = mean of min(b, 9) = 5.5: C stops at 10."""
    found = effective_contexts(GROUP, CONTEXTS, r=0.2)
    assert {name: one.length for name, one in found.items()} == {"A": 40, "B": 10, "C": 10}
    assert {name: one.at_least for name, one in found.items()} == {"A": True, "B": False, "C": False}
    assert found["A"].gains[0] == pytest.approx(1 - math.exp(-1))
    assert found["B"].gains[0] == found["C"].gains[0] == 0.0
    assert found["A"].mean_gains[0] == pytest.approx(1.0)
    assert txlviz.relative_effective_context(GROUP, CONTEXTS, r=0.2) == {"A": 40, "B": 10, "C": 10}


def test_the_positions_are_chosen_anew_for_each_context():
    """From 20 tokens on position 5 is the hardest for all; there only C gains, and only from 20 to 30."""
    group = {name: table.copy() for name, table in GROUP.items()}
    for name in "AB":
        group[name][1:, 5] = 8.0
    group["C"][:, 5] = [1.0, 8.0, 2.0, 2.0]
    found = effective_contexts(group, CONTEXTS, r=0.1)
    assert found["C"].length == 10  # at 10 tokens position 3 counts, and C gains nothing there
    assert found["C"].gains[1] == pytest.approx(1 - math.exp(2.0 - 8.0))
    assert found["A"].gains[1] == 0.0


def test_one_percent_is_enough_and_less_is_not():
    def pair(drop: float) -> dict[str, np.ndarray]:
        return {"one": np.array([[3.0], [3.0 + math.log(1 - drop)], [3.0 + math.log(1 - drop)]])}

    assert txlviz.relative_effective_context(pair(0.0101), [1, 2, 3], r=1.0) == {"one": 2}
    assert txlviz.relative_effective_context(pair(0.0099), [1, 2, 3], r=1.0) == {"one": 1}


def test_the_minimum_with_b_rewards_noise_and_the_mean_gain_says_so():
    rng = np.random.default_rng(0)
    noisy = np.stack([np.full(1000, 4.0), 4.5 + rng.normal(0, 2, 1000)])
    found = effective_contexts({"noisy": noisy}, [8, 16], r=1.0)["noisy"]
    assert found.length == 16
    assert found.gains[0] > 0.1
    assert found.mean_gains[0] < -0.3


def f(group, name, r, c, c_next):
    """f_i(c, c') as it is written."""
    n = A.shape[1]
    b = [min(table[c, t] for table in group.values()) for t in range(n)]
    hardest = sorted(range(n), key=lambda t: (-b[t], t))[: max(1, round(r * n))]
    return sum(min(b[t], group[name][c_next, t]) for t in hardest) / len(hardest)


@pytest.mark.parametrize("r", [0.01, 0.1, 0.5, 1.0])
def test_gains_are_as_defined_and_f_of_c_c_is_the_same_for_all(r):
    rng = np.random.default_rng(3)
    group = {name: rng.gamma(2.0, 1.5, (4, 10)).round(1) for name in ("one", "two", "three")}  # rounded: there are ties
    found = effective_contexts(group, CONTEXTS, r)
    for c in range(3):
        assert len({f(group, name, r, c, c) for name in group}) == 1
        for name in group:
            now, then = math.exp(f(group, name, r, c, c)), math.exp(f(group, name, r, c, c + 1))
            assert found[name].gains[c] == pytest.approx((now - then) / now, abs=1e-9)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"losses": {}}, "no model"),
        ({"losses": {"A": A, "B": B[:, :9]}}, "same targets"),
        ({"losses": {"A": A[0]}}, "same targets"),
        ({"losses": {"A": A[:, :0]}}, "same targets"),
        ({"contexts": [10, 20, 30]}, "3 contexts"),
        ({"contexts": [10, 20, 30, 50]}, "equal steps"),
        ({"contexts": [40, 30, 20, 10]}, "equal steps"),
        ({"r": 0.0}, "r is 0"),
        ({"r": 1.5}, "r is 1.5"),
    ],
)
def test_what_does_not_fit(change, said):
    with pytest.raises(ValueError, match=said):
        effective_contexts(**{"losses": {"A": A}, "contexts": CONTEXTS, "r": 0.1, **change})
