"""``python -m txlviz measure``."""

from __future__ import annotations

import pytest

from txlviz.__main__ import main


def test_it_lists_what_can_be_measured(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["measure", "--help"])
    assert "WHAT" in capsys.readouterr().out
