"""Records are found, and belong to the weights that they were made with."""

from __future__ import annotations

from pathlib import Path

import pytest

from txlviz import recorded
from txlviz.recorded import RecordError

WEIGHTS = {"xl": "11", "vanilla": "22"}


def test_what_was_written_is_read(tmp_path: Path) -> None:
    path = tmp_path / "preset" / "position.json"
    recorded.write(path, {"L": 64, "xl": [4.1, None], "name": "ü ␣"}, WEIGHTS)
    assert recorded.read(path, WEIGHTS) == {"L": 64, "xl": [4.1, None], "name": "ü ␣"}
    assert len(path.read_text(encoding="utf-8").splitlines()) == 6  # a line a field, and the braces


def test_other_weights_are_another_record(tmp_path: Path) -> None:
    recorded.write(tmp_path / "a.json", {"L": 64}, WEIGHTS)
    with pytest.raises(RecordError, match="other weights"):
        recorded.read(tmp_path / "a.json", {**WEIGHTS, "xl": "12"})


@pytest.mark.parametrize("content", ["", "[]", "{}", "not JSON", '{"sha256": 3}'])
def test_what_is_no_record(tmp_path: Path, content: str) -> None:
    (tmp_path / "a.json").write_text(content)
    with pytest.raises(RecordError, match="no record"):
        recorded.read(tmp_path / "a.json", WEIGHTS)


def test_there_is_none(tmp_path: Path) -> None:
    with pytest.raises(RecordError, match="no record"):
        recorded.read(tmp_path / "none.json", WEIGHTS)


def test_numbers_that_json_cannot_hold_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="JSON"):
        recorded.write(tmp_path / "a.json", {"x": float("nan")}, WEIGHTS)


def test_a_record_knows_the_code_that_made_it(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    recorded.write(path, {"L": 64}, WEIGHTS, "txlviz.recorded")
    code = recorded.made_with(path)["code"]
    assert recorded.read(path, WEIGHTS) == {"L": 64}
    recorded.write(path, {"L": 64, "M": 1}, WEIGHTS, "txlviz.recorded", partly=True)
    assert recorded.made_with(path)["code"] == code, "the part that stood there is of the same code"
    recorded.write(path, {"L": 65, "M": 1}, WEIGHTS, "txlviz.checkpoint", partly=True)
    assert "code" not in recorded.made_with(path)


def test_a_stamp_leaves_the_rest_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    recorded.write(path, {"L": 64}, WEIGHTS)
    before, content = path.read_text(), recorded.content(path)
    for code in ("1", "2"):
        recorded.stamp(path, {"code": code, "made_from": {"b.json": "33"}})
        assert recorded.made_with(path) == {"sha256": WEIGHTS, "code": code, "made_from": {"b.json": "33"}}
    lines = path.read_text().splitlines(keepends=True)
    assert "".join(line for line in lines if '"code"' not in line and '"made_from"' not in line) == before
    assert recorded.content(path) == content
    assert recorded.made_with(tmp_path / "none.json") == {}
