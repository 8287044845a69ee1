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
