"""Which side a clicked card takes."""

from __future__ import annotations

import pytest

from txlviz.ui.landscape import controls


@pytest.fixture
def state(monkeypatch: pytest.MonkeyPatch) -> dict[str, object]:
    made: dict[str, object] = {"landscape_first": "xl", "landscape_second": "full"}
    monkeypatch.setattr(controls.st, "session_state", made)
    return made


def test_cards_take_the_sides_in_turn(state: dict[str, object]) -> None:
    pairs = []
    for system in ("bigbird", "linformer", "segments"):
        controls.pick(system)
        pairs.append((state["landscape_first"], state["landscape_second"]))
    assert pairs == [("bigbird", "full"), ("bigbird", "linformer"), ("segments", "linformer")]


def test_after_a_choice_by_hand_a_card_takes_the_other_side(state: dict[str, object]) -> None:
    controls._changed("first")
    controls.pick("sliding")
    assert state["landscape_second"] == "sliding"


@pytest.mark.parametrize("system", ["xl", "full", "nonsense"])
def test_what_is_shown_already_or_unknown_changes_nothing(state: dict[str, object], system: str) -> None:
    before = dict(state)
    controls.pick(system)
    assert state == before
