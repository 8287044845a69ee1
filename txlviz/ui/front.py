"""What the browser runs of a component, read from its folder."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

_SHARED = Path(__file__).with_name("element.js")


def read(path: Path) -> str:
    """A file of HTML or CSS."""
    return path.read_text(encoding="utf-8")


def script(paths: Iterable[Path]) -> str:
    """One module of what all components share and of ``paths``, in their order: Streamlit takes a module as one string."""
    return "\n".join(read(path) for path in (_SHARED, *paths))
