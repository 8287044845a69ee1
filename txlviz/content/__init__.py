"""The prose of the pages: Markdown files, one folder a language, cut into sections by ``## key`` headings."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

_FOLDER = Path(__file__).parent


@lru_cache(maxsize=64)
def sections(page: str, language: str = "en") -> dict[str, str]:
    """The sections of ``content/<language>/<page>.md``, in their order, without their headings."""
    found: dict[str, list[str]] = {}
    lines: list[str] = []  # what stands above the first heading is for the file's editors
    for line in (_FOLDER / language / f"{page}.md").read_text(encoding="utf-8").splitlines():
        if line.startswith("## "):
            lines = found.setdefault(line[3:].strip(), [])
        else:
            lines.append(line)
    return {key: "\n".join(body).strip() for key, body in found.items()}
