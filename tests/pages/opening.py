"""A page of the app, opened without a browser, and what its components were given."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from streamlit.testing.v1 import AppTest

ROOT = Path(__file__).parents[2]


def open_page(page: str, address: Mapping[str, object], state: Mapping[str, object] | None = None) -> AppTest:
    """The page after its first run. ``address`` is its query, ``state`` what the session holds before."""
    at = AppTest.from_file(str(ROOT / "app.py"), default_timeout=120)
    for name, value in address.items():
        at.query_params[name] = str(value)
    for name, value in (state or {}).items():
        at.session_state[name] = value
    at.switch_page(page).run()
    assert not at.exception
    return at


def component(at: AppTest, name: str) -> Iterator[dict[str, Any]]:
    """The data of all components of a name, ``token_strip`` for one, in their order."""
    assert not at.exception
    for one in at.get("bidi_component"):
        if one.proto.component_name == f"txlviz_{name}":
            yield json.loads(one.proto.json)
