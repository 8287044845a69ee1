"""Each position system against a double loop over queries and keys, written from its paper's equation, in float64."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import numpy.typing as npt
import pytest
import torch
from torch import Tensor

from tests.models.encodings.systems import SIZES, positions, system
from tests.models.small import random_tensor
from txlviz.models.encodings import PositionSystem
from txlviz.models.system import SystemAttention

Array = npt.NDArray[np.float64]
H, E, L, K = 2, 8, 5, 9
SCALE = 1 / math.sqrt(E)
Score = Callable[[Array, Array, int, int, int], float]
"""(q_i, k_j, i, j, head): the scaled score, where i and j are places."""


def _numbers(tensor: Tensor) -> Array:
    return tensor.detach().double().numpy()


def _plain(system: PositionSystem) -> Score:
    return lambda q, k, i, j, h: float(q @ k) * SCALE


def _shaw(system: PositionSystem) -> Score:
    a_k = _numbers(system.a_k)  # type: ignore[arg-type]

    def score(q: Array, k: Array, i: int, j: int, h: int) -> float:
        clipped = max(-4, min(4, j - i))  # clip(j - i, k), eq. 5; the tables hold the distances i - j = 0 … k
        return float(q @ (k + a_k[-clipped])) / math.sqrt(E)  # eq. 4

    return score


def _xl(without: str = "") -> Callable[[PositionSystem], Score]:
    def made(system: PositionSystem) -> Score:
        D = SIZES["d_model"]
        w_r = _numbers(system.w_r.weight) if hasattr(system, "w_r") else None  # type: ignore[union-attr]
        u, v = (None if x is None else _numbers(x)[:, 0] for x in (system.u, system.v))  # type: ignore[arg-type]

        def score(q: Array, k: Array, i: int, j: int, h: int) -> float:
            rates = 10000.0 ** (-np.arange(0, D, 2) / D)
            R = np.concatenate([np.sin((i - j) * rates), np.cos((i - j) * rates)])
            r = np.zeros(E) if w_r is None else (w_r @ R)[h * E : (h + 1) * E]
            terms = {
                "a": q @ k,
                "b": q @ r,
                "c": 0.0 if u is None else u[h] @ k,
                "d": 0.0 if v is None else v[h] @ r,
            }
            return float(sum(value for term, value in terms.items() if term not in without)) / math.sqrt(E)

        return score

    return made


def _rotary(system: PositionSystem) -> Score:
    def matrix(place: int) -> Array:  # eq. 15
        R = np.zeros((E, E))
        for t in range(E // 2):
            angle = place * 10000.0 ** (-2 * t / E)
            R[2 * t : 2 * t + 2, 2 * t : 2 * t + 2] = [[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]]
        return R

    return lambda q, k, i, j, h: float((matrix(i) @ q) @ (matrix(j) @ k)) * SCALE  # eq. 14 and 16


def _alibi(system: PositionSystem) -> Score:
    slopes = [2.0**-4, 2.0**-8]  # two heads: from 2^(-8/2) on, with that ratio

    return lambda q, k, i, j, h: float(q @ k) / math.sqrt(E) - slopes[h] * (i - j)


CASES: list[tuple[str, tuple[str, ...], Callable[[PositionSystem], Score]]] = [
    ("none", (), _plain),
    ("sinusoids", (), _plain),
    ("learned", (), _plain),
    ("shaw", (), _shaw),
    ("xl", (), _xl()),
    *[("xl", tuple(left), _xl(left)) for left in ("a", "b", "c", "d", "bd", "abc", "cd")],
    ("rotary", (), _rotary),
    ("alibi", (), _alibi),
]


@pytest.mark.parametrize(("name", "without", "made"), CASES, ids=[f"{n} {''.join(w)}" for n, w, _ in CASES])
@pytest.mark.parametrize("n_queries", [L, K], ids=["with a memory", "without"])
def test_scores_are_those_of_the_equation(
    name: str, without: tuple[str, ...], made: Callable[[PositionSystem], Score], n_queries: int
) -> None:
    system = positions(name, without=without)
    q, k = (random_tensor(2, H, n, E, seed=seed, dtype=torch.float64) for seed, n in ((1, n_queries), (2, K)))
    with torch.no_grad():
        query, key = system.rotated(q, k)
        found = query @ key.transpose(-1, -2) * SCALE
        bias = system.bias(q, k, SCALE)
        found = found if bias is None else found + bias
    score = made(system)
    for b in range(2):
        for h in range(H):
            for i in range(n_queries):
                place = K - n_queries + i
                for j in range(place + 1):
                    expected = score(_numbers(q[b, h, i]), _numbers(k[b, h, j]), place, j, h)
                    assert float(found[b, h, i, j]) == pytest.approx(expected, abs=1e-12)


def test_shaw_adds_the_values_of_its_distances() -> None:
    """Eq. 3: z_i = sum_j w_ij (v_j + a^V_ij)."""
    system = positions("shaw")
    a_v = _numbers(system.a_v)  # type: ignore[arg-type]
    weights = random_tensor(2, H, L, K, dtype=torch.float64).masked_fill(
        torch.ones(L, K, dtype=torch.bool).triu(K - L + 1), -math.inf
    )
    weights = weights.softmax(-1)
    found = system.values(weights)
    assert found is not None
    for b, h, i in np.ndindex(2, H, L):
        place = K - L + i
        expected = sum(float(weights[b, h, i, j]) * a_v[min(place - j, 4)] for j in range(place + 1))
        np.testing.assert_allclose(_numbers(found[b, h, i]), expected, atol=1e-12)


@pytest.mark.parametrize("name", ["none", "sinusoids", "learned", "shaw", "xl", "rotary", "alibi"])
def test_a_layer_is_the_softmax_of_those_scores(name: str) -> None:
    """The whole layer by a double loop: visible keys only, softmax, values, W_o."""
    model = system(name).double()
    attention = model.blocks[1].attention
    assert isinstance(attention, SystemAttention)
    h = random_tensor(1, K, SIZES["d_model"], dtype=torch.float64)
    score = {n: made for n, without, made in CASES if not without}[name](attention.position)
    with torch.no_grad():
        q, k, values = attention.project(h, h)
        found = attention(h)
    out = np.zeros((K, H * E))
    a_v = _numbers(attention.position.a_v) if name == "shaw" else np.zeros((5, E))  # type: ignore[arg-type]
    for head, i in np.ndindex(H, K):
        scores = [score(_numbers(q[0, head, i]), _numbers(k[0, head, j]), i, j, head) for j in range(i + 1)]
        weights = np.exp(scores) / np.exp(scores).sum()
        rows = [_numbers(values[0, head, j]) + a_v[min(i - j, 4)] for j in range(i + 1)]
        out[i, head * E : (head + 1) * E] = weights @ np.array(rows)
    np.testing.assert_allclose(_numbers(found[0]), out @ _numbers(attention.w_o.weight).T, atol=1e-12)


def test_sinusoids_stand_at_the_input_as_vaswani_et_al_define_them() -> None:
    added = positions("sinusoids").at_input(7)
    assert added is not None
    D = SIZES["d_model"]
    for place in range(7):
        for t in range(D // 2):
            angle = place / 10000 ** (2 * t / D)
            assert float(added[place, t]) == pytest.approx(math.sin(angle), abs=1e-12)  # sines first, then cosines
            assert float(added[place, D // 2 + t]) == pytest.approx(math.cos(angle), abs=1e-12)


@pytest.mark.parametrize("name", ["sinusoids", "learned"])
def test_what_stands_at_the_input_is_added_to_the_embedding(name: str) -> None:
    model = system(name)
    ids = torch.tensor([[3, 1, 4, 1, 5]])
    table = model.blocks[0].attention.position.at_input(5)  # type: ignore[operator, union-attr]
    inputs: list[Tensor] = []
    model.blocks[0].register_forward_pre_hook(lambda _, given: inputs.append(given[0]))
    with torch.no_grad():
        model(ids)
        expected = model.embedding.weight[ids] * math.sqrt(SIZES["d_model"]) + table
    torch.testing.assert_close(inputs[0], expected.float())
    assert model.blocks[1].attention.position.at_input(5) is None  # type: ignore[operator, union-attr]


def test_learned_positions_end_with_the_training_segment() -> None:
    model = system("learned")  # segments of 16
    assert model(torch.zeros(1, 16, dtype=torch.long)).hidden.shape[1] == 16
    with pytest.raises(ValueError, match="17 tokens are too long for learned positions: there are 16"):
        model(torch.zeros(1, 17, dtype=torch.long))
