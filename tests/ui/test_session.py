"""What all pages share: who came first, whose the address is, and which of two handles of M is meant."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest
from streamlit.util import calc_hash

from txlviz.recorded import RecordError
from txlviz.ui import models, session

ROOT = Path(__file__).parents[2]
PAGE = "pages/recurrence_and_memory.py"


def opened(page: str = PAGE, **address: str) -> AppTest:
    at = AppTest.from_file(str(ROOT / "app.py"), default_timeout=120)
    for name, value in {"text": "The river rises in the hills.", "L": "8", "M": "16", **address}.items():
        at.query_params[name] = value
    at.switch_page(page).run()
    assert not at.exception
    return at


def has_menu(at: AppTest) -> bool:
    return len(at.get("page_link")) > 5 and any("--txl-xl" in one.proto.body for one in at.get("html"))


def test_a_page_that_runs_without_the_entry_is_started_again_through_it() -> None:
    """AppTest begins as a fresh server does: with Streamlit's older kind of pages, which run alone."""
    assert has_menu(opened())
    at = AppTest.from_file(str(ROOT / "app.py"), default_timeout=120)
    at._page_hash = calc_hash("relative_positions")
    assert has_menu(at.run())


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    now = [100.0]
    monkeypatch.setattr(session.time, "monotonic", lambda: now[0])
    return now


def test_a_widget_that_moves_too_early_doesnt_take_back_the_other_handles_m(clock: list[float]) -> None:
    at = opened()
    at.button_group(key="span_jump").set_value(1).run()
    assert at.slider(key="M").value == 1
    clock[0] += 0.3
    at.slider(key="M").set_value(16)  # the browser hasn't heard of 1 yet
    at.slider(key="span_N").set_value(7).run()
    assert (at.slider(key="M").value, at.slider(key="span_M").value, at.slider(key="span_N").value) == (1, 1, 7)
    assert at.query_params["M"] == "1"
    at.slider(key="M").set_value(16)
    at.slider(key="span_N").set_value(6).run()
    assert at.slider(key="M").value == 1


def test_m_can_be_set_back_by_its_slider(clock: list[float]) -> None:
    at = opened()
    at.button_group(key="span_jump").set_value(1).run()
    clock[0] += 2  # the browser has heard
    at.slider(key="M").set_value(16).run()
    assert (at.slider(key="M").value, at.slider(key="span_M").value) == (16, 16)
    at.slider(key="span_M").set_value(40).run()
    at.slider(key="M").set_value(17).run()
    assert at.slider(key="M").value == 17


def test_another_pages_own_parameters_leave_the_address(monkeypatch: pytest.MonkeyPatch) -> None:
    def script() -> None:
        import streamlit as st

        from txlviz.ui import session

        for page, names in (("one page", ("lens", "layer")), ("another", ("layer",))):
            session.enter(page)
            for name in names:
                session.write(name, session.read(name, range(9), 0), 0)
            st.write(sorted(st.query_params))
            session.leave()
            st.write(sorted(st.query_params))

    def addresses() -> list[list[str]]:
        at = AppTest.from_function(script)
        for name in ("lens", "layer", "L", "unknown"):
            at.query_params[name] = "8"
        return [json.loads(one.value) for one in at.run().json]

    everything = ["L", "layer", "lens", "unknown"]
    assert addresses() == [everything] * 3 + [["L", "layer", "unknown"]]
    monkeypatch.setattr(session, "went_back", lambda: True)  # a change now would bar the way back
    assert addresses() == [everything] * 4


def test_an_address_can_be_made_of_any_state() -> None:
    def script() -> None:
        import streamlit as st

        from txlviz.ui import session

        st.session_state["last_good_text"] = st.session_state["text"] = "a"
        st.session_state["preset"] = None
        st.write(str(session.address()))

    at = AppTest.from_function(script).run()
    assert not at.exception
    assert "preset" not in at.markdown[0].value


def test_a_record_problem_names_the_command_and_no_folder_of_this_machine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(models, "CHECKPOINTS", tmp_path / "checkpoints")
    with pytest.raises(RecordError) as caught:
        models.recorded("wikitext2-2l", "length.json")
    said = str(caught.value)
    assert str(tmp_path) not in said
    assert said.startswith("checkpoints/wikitext2-2l/length.json: ")
    assert said.endswith("python -m txlviz measure length wikitext2-2l")
