"""What the browser runs of a component, read from its folder."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import streamlit as st

_HERE = Path(__file__).parent
_SHARED = _HERE / "element.js"

FACTS_JS = _HERE / "facts.js"
"""The table, the downloads and their menu: put it before a component's own scripts."""
FACTS_CSS = _HERE / "facts.css"


def read(*paths: Path) -> str:
    """Files of HTML or CSS, one after the other."""
    return "\n".join(path.read_text(encoding="utf-8") for path in paths)


def state(key: str) -> Any:
    """What a mounted component's part in the browser last said. It can say anything: callers check it."""
    return st.session_state.get(key) or {}


def script(paths: Iterable[Path]) -> str:
    """One module of what all components share and of ``paths``, in their order: Streamlit takes a module as one string."""
    return read(_SHARED, *paths)
