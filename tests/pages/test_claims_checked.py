"""The page of checked claims: guesses, verdicts, numbers and commands, without a browser."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from tests.pages.opening import component, open_page
from txlviz.checkpoint import CHECKPOINTS
from txlviz.claims import CLAIMS, GUESSES, VERDICTS, agrees, record, said
from txlviz.recorded import RecordError
from txlviz.ui.claims import figures, results, state
from txlviz.ui.claims.words import GROUPS, PAGES, label

ROOT = Path(__file__).parents[2]
RECORDED = record.read(CHECKPOINTS)
WITH_FIGURE = [number for number in CLAIMS if figures.picture(number, RECORDED[number]) is not None]


def opened(**address: object) -> AppTest:
    return open_page("pages/claims_checked.py", address)


def words(at: AppTest) -> str:
    return "\n".join(one.value for kind in (at.markdown, at.caption, at.info) for one in kind)


def guess(at: AppTest, number: int, verdict: str) -> AppTest:
    at.button_group(key=state.widget(number)).set_value(verdict).run()
    assert not at.exception
    return at


def controls(at: AppTest) -> set[int]:
    """Claims that can be guessed."""
    keys = [str(one.key) for one in at.button_group]
    return {int(key.rsplit("_", 1)[1]) for key in keys if key.startswith("claim_guess_")}


def answer_of(number: int) -> str:
    return said.answer(number, RECORDED[number])


def verdict_of(number: int) -> str:
    return CLAIMS[number].judge(RECORDED[number])


def test_all_claims_stand_in_one_group_each() -> None:
    assert sorted(number for numbers in GROUPS.values() for number in numbers) == list(CLAIMS)
    assert set(PAGES) == set(CLAIMS)
    assert all((ROOT / "pages" / f"{page}.py").is_file() for page in PAGES.values())


def test_it_opens_with_all_claims_and_no_answer() -> None:
    at = opened()
    assert controls(at) == set(CLAIMS)
    text = words(at)
    for number in CLAIMS:
        assert f"**{number}.** {said.sentence(number)}" in text
        assert said.short(number, RECORDED[number]) not in text
        assert answer_of(number) not in text
    assert not at.code
    assert not list(component(at, "chart"))
    assert not [verdict for verdict in VERDICTS if label(f"verdict_{verdict}") in text.replace("**", "")]


@pytest.mark.parametrize("number", [7, 14, 13])
@pytest.mark.parametrize("verdict", GUESSES)
def test_a_guess_is_followed_by_the_verdict_and_the_score(number: int, verdict: str) -> None:
    at = guess(opened(), number, verdict)
    right = agrees(verdict, verdict_of(number))
    text = words(at)
    assert f"You agreed with the measurements on **{int(right)} of 1**." in text
    assert f"You: {label(verdict)}" in text
    assert ("agreed" in text.split(f"You: {label(verdict)}")[1][:12]) == right
    assert label(f"verdict_{verdict_of(number)}") in text
    assert answer_of(number) in text
    assert f"python -m txlviz claim {number}" in [one.value for one in at.code]
    assert at.query_params["claim"] == str(number)
    assert controls(at) == set(CLAIMS) - {number}


def test_the_score_counts_guesses_only() -> None:
    at = opened()
    for number in (7, 11, 14):
        guess(at, number, "holds")
    rights = sum(verdict_of(number) == "holds" for number in (7, 11, 14))
    assert f"**{rights} of 3**" in words(at)
    at.button(key="claims_reveal").click().run()
    assert f"**{rights} of 3**" in words(at)
    assert controls(at) == set()
    for number in CLAIMS:
        assert said.short(number, RECORDED[number]) in words(at)
    at.button(key="claims_reveal").click().run()
    assert controls(at) == set(CLAIMS) - {7, 11, 14}
    at.button(key="claims_restart").click().run()
    assert controls(at) == set(CLAIMS)
    assert "Nothing is guessed yet" in words(at)
    assert "claim" not in at.query_params


def test_one_claim_is_open_at_a_time_and_closes() -> None:
    at = opened(revealed=1)
    for number in (13, 21):
        at.button(key=f"claim_open_{number}").click().run()
        assert at.code[0].value == f"python -m txlviz claim {number}"
        assert at.query_params["claim"] == str(number)
    at.button(key="claim_open_21").click().run()
    assert not at.code
    assert "claim" not in at.query_params


@pytest.mark.parametrize(("address", "number"), [("14", 14), ("999", max(CLAIMS)), ("x", 0), ("-3", 0)])
def test_a_claim_in_the_address_is_open_but_not_told(address: str, number: int) -> None:
    at = opened(claim=address)
    assert controls(at) == set(CLAIMS)
    assert not at.code
    made = [n for n in CLAIMS if said.made(n) in words(at)]
    assert made == ([number] if number else [])


@pytest.fixture(scope="module")
def told() -> AppTest:
    return opened(revealed=1)


@pytest.mark.parametrize("number", CLAIMS)
def test_every_answer_stands_with_its_rule_its_command_and_its_numbers(told: AppTest, number: int) -> None:
    told.button(key=f"claim_open_{number}").click().run()
    assert not told.exception
    text, claim = words(told), CLAIMS[number]
    assert answer_of(number) in text
    assert said.made(number) in text
    assert said.rule(number) in text
    assert told.code[0].value == f"python -m txlviz claim {number}"
    for command in (*claim.made_by, *claim.trained_by):
        assert any(f"python -m txlviz {command}" in one.value.splitlines() for one in told.code)
    assert f"{label(f'verdict_{verdict_of(number)}')}{said.basis(number)}" in text
    if not claim.measures:
        assert ("own figures, quoted" if claim.quoted else "from the sources named") in text
        assert "Nothing of this is measured here" in text
    elif claim.live:
        found = re.search(r"Computed again just now on this machine: (\d+) of (\d+) numbers are as recorded", text)
        assert found
        assert found[1] == found[2]
    else:
        assert "Recorded with the shipped weights" in text
    meanings = {str(row) for table in told.table for row in table.value.index}
    assert {meaning for meaning, _ in said.rows(number, RECORDED[number])} <= meanings
    charts = [one for one in component(told, "chart") if one["name"] == f"claim-{number}"]
    assert len(charts) == (number in WITH_FIGURE)


@pytest.mark.parametrize("number", WITH_FIGURE)
def test_a_figure_shows_the_numbers(number: int) -> None:
    """Every value in a figure's table is one of the claim's numbers, or of the paper's."""
    picture = figures.picture(number, RECORDED[number])
    assert picture is not None
    known = set(_plain(RECORDED[number])) | {363, 773, 1409, 1874, None}
    values = [value if value == value else None for value in picture.facts.iloc[:, -1].tolist()]
    assert values
    assert set(values) <= known
    assert picture.title


def _plain(value: Any) -> list[Any]:
    if isinstance(value, dict):
        return [one for inner in value.values() for one in _plain(inner)]
    if isinstance(value, list):
        return [one for inner in value for one in _plain(inner)]
    return [value]


def test_guesses_outlive_the_page() -> None:
    at = guess(opened(), 7, "holds")
    at.switch_page("pages/the_study.py").run()
    at.switch_page("pages/claims_checked.py").run()
    assert not at.exception
    assert "**1 of 1**" in words(at)
    assert 7 not in controls(at)


def test_without_a_record_live_claims_are_still_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing() -> dict[int, results.Result]:
        raise RecordError("claims.json: there is no record that can be read")

    monkeypatch.setattr(results, "recorded", missing)
    at = opened(revealed=1, claim=13)
    text = words(at)
    assert "recorded claims can't be shown" in text
    assert answer_of(13) in text
    assert "there is no record" in text
    at.button(key="claim_open_15").click().run()
    assert not at.exception
    assert "isn't recorded yet" in words(at)
    assert at.code[-1].value == "python -m txlviz claim 15"


def test_other_numbers_are_seen_to_differ(monkeypatch: pytest.MonkeyPatch) -> None:
    changed = json.loads(json.dumps(RECORDED[13]))
    changed["first"][0] = 1
    changed["one_row"][0] = 1
    found = {number: results.judged(number, numbers) for number, numbers in RECORDED.items()}
    monkeypatch.setattr(results, "recorded", lambda: found | {13: results.judged(13, changed)})
    assert "4 of 6 numbers are as recorded" in words(opened(revealed=1, claim=13))
