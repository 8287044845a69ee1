"""Drawing: each setting against its definition."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
import torch

from txlviz.generation.sampling import Sampling, _probabilities, draw

LOGITS = torch.tensor([2.0, 1.0, 0.0, -1.0, 3.0])


def drawn(sampling: Sampling, before: tuple[int, ...] = (), times: int = 4000) -> dict[int, float]:
    generator = torch.Generator().manual_seed(0)
    counts = Counter(draw(LOGITS, before, sampling, generator) for _ in range(times))
    return {token: count / times for token, count in counts.items()}


def test_the_defaults_draw_from_the_softmax() -> None:
    found = drawn(Sampling())
    for token, share in enumerate(LOGITS.softmax(0).tolist()):
        assert found.get(token, 0) == pytest.approx(share, abs=0.03)


def test_temperature_divides_the_scores() -> None:
    torch.testing.assert_close(_probabilities(LOGITS.double(), Sampling(0.5)), (LOGITS.double() / 0.5).softmax(0))
    assert set(drawn(Sampling(0.0), times=50)) == {4}
    assert set(drawn(Sampling(1e-300), times=50)) == {4}


def test_top_k_keeps_the_k_likeliest() -> None:
    assert set(drawn(Sampling(top_k=2))) == {4, 0}
    found = _probabilities(LOGITS.double(), Sampling(top_k=2))
    torch.testing.assert_close(found[[4, 0]], LOGITS.double()[[4, 0]].softmax(0))
    assert set(drawn(Sampling(top_k=99))) == {0, 1, 2, 3, 4}


def test_top_p_keeps_the_smallest_set_that_reaches_p() -> None:
    shares = LOGITS.softmax(0)  # 4: 0.636, 0: 0.234, 1: 0.086, ...
    assert set(drawn(Sampling(top_p=0.6))) == {4}
    assert set(drawn(Sampling(top_p=float(shares[4]) + 0.01))) == {4, 0}
    assert set(drawn(Sampling(top_p=1.0))) == {0, 1, 2, 3, 4}
    assert set(drawn(Sampling(top_p=1e-9), times=50)) == {4}  # never nothing


def test_the_repetition_penalty_divides_positive_and_multiplies_negative_scores() -> None:
    generator = torch.Generator()
    assert draw(LOGITS, (4,), Sampling(0.0, repetition_penalty=2.0), generator) == 0  # 3 becomes 1.5, below 2
    low = torch.tensor([-1.0, -1.5])
    assert draw(low, (0,), Sampling(0.0, repetition_penalty=1.4), generator) == 0
    assert draw(low, (0,), Sampling(0.0, repetition_penalty=1.6), generator) == 1
    assert (
        draw(LOGITS, (4, 4, 4), Sampling(0.0, repetition_penalty=1.4), generator) == 4
    )  # once a token, not once an occurrence


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"temperature": -1.0}, "temperature"),
        ({"temperature": float("nan")}, "temperature"),
        ({"top_k": 0}, "top-k"),
        ({"top_p": 0.0}, "top-p"),
        ({"top_p": 1.1}, "top-p"),
        ({"repetition_penalty": 0.5}, "penalty"),
    ],
)
def test_settings_that_make_no_sense(values: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        Sampling(**values)
