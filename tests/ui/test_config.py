"""The settings of Streamlit that a person would notice."""

from __future__ import annotations

import tomllib
from pathlib import Path

CONFIG = Path(__file__).parents[2] / ".streamlit" / "config.toml"


def test_an_error_shows_no_traceback_and_no_link_to_other_machines() -> None:
    client = tomllib.loads(CONFIG.read_text(encoding="utf-8"))["client"]
    assert client["showErrorDetails"] == "none"
    assert client["showErrorLinks"] == "false"
