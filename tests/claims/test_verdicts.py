"""What a verdict rests on is said with it, and a guess counts as right where it says the same."""

from __future__ import annotations

import pytest

from txlviz.claims import CLAIMS, GUESSES, HISTORY, HOLDS, OPEN, VERDICTS, agrees, said
from txlviz.content import sections
from txlviz.ui.claims import answer
from txlviz.ui.claims.words import label, labels

BY_CONSTRUCTION = (7, 10, 11, 14, 22)
"""Their zeros, or all of them, follow from how the models are built."""


@pytest.mark.parametrize("number", BY_CONSTRUCTION)
def test_what_holds_by_construction_is_said_to(number: int) -> None:
    assert "by construction" in said.basis(number)
    assert "by construction" in sections(said.PAGE)[f"answer_{number}"]


@pytest.mark.parametrize("number", CLAIMS)
def test_a_claim_that_isnt_measured_says_so_in_its_verdict(number: int) -> None:
    claim = CLAIMS[number]
    assert not (claim.quoted and claim.history)
    if claim.quoted:
        assert "by the paper's own table; not measured here" in answer.verdict(claim, HOLDS)
    if claim.history:
        assert "can't be measured" in answer.verdict(claim, claim.judge({})).lower()


def test_every_verdict_has_its_words_and_its_icon() -> None:
    assert set(answer.ICONS) == set(VERDICTS)
    assert {f"verdict_{verdict}" for verdict in VERDICTS} | set(GUESSES) <= set(labels())
    assert all(label(guess) for guess in GUESSES)


def test_not_measured_is_the_guess_for_what_cant_be() -> None:
    assert agrees(OPEN, HISTORY)
    assert all(agrees(one, one) for one in VERDICTS)
    assert not agrees(HOLDS, HISTORY)
    assert not agrees(OPEN, HOLDS)


def test_a_proxy_isnt_a_verdict() -> None:
    """Claim 8 is about written text, claim 17 about descent: what is measured beside them settles neither."""
    for number in (8, 17):
        assert said.basis(number).startswith(", only")
        assert "Not measured" in said.rule(number) or "not measured" in said.rule(number)
    assert "isn't measured" in sections(said.PAGE)["answer_8"]
    assert "multiplicative" in sections(said.PAGE)["answer_17"]
