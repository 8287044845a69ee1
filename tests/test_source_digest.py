"""The digest of a measurement's source: what can change a number changes it, words don't."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from txlviz import source_digest
from txlviz.commands.measure.plan import PLAN
from txlviz.source_digest import digest, modules

POSITION = "txlviz.commands.measure.position"
Edit = Callable[[str, str, str], None]


@pytest.fixture
def edit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Edit]:
    """Replaces text in a file of a copy of the package, whose digests are taken."""
    root = tmp_path / "txlviz"
    shutil.copytree(source_digest._ROOT, root, ignore=shutil.ignore_patterns("__pycache__", "ui"))
    monkeypatch.setattr(source_digest, "_ROOT", root)

    def replace(file: str, before: str, after: str) -> None:
        text = (root / file).read_text(encoding="utf-8")
        assert before in text
        (root / file).write_text(text.replace(before, after), encoding="utf-8")
        forget()

    def forget() -> None:
        digest.cache_clear()
        source_digest._tree.cache_clear()

    forget()
    yield replace
    forget()


@pytest.mark.parametrize("module", sorted({record.by for record in PLAN}))
def test_it_covers_the_models_and_not_what_is_drawn(module: str) -> None:
    found = modules(module)
    assert module in found
    if "benchmark" not in module:
        assert "txlviz.models.attention" in found
    assert not [name for name in found if name.split(".")[1] in ("ui", "figures", "content")]


@pytest.mark.parametrize(
    ("file", "before", "after"),
    [
        ("commands/measure/position.py", "TOKENS = 20_480", "TOKENS = 20_481"),
        ("analysis/by_position.py", "def curve(", "def curve_of("),
        ("models/attention.py", "def forward(", "def backward("),
    ],
)
def test_other_code_near_and_far(edit: Edit, file: str, before: str, after: str) -> None:
    was = digest(POSITION)
    edit(file, before, after)
    assert digest(POSITION) != was


@pytest.mark.parametrize(
    ("file", "before", "after"),
    [
        ("commands/measure/position.py", '"""Scores, writes', '"""Measures, writes'),
        ("commands/measure/position.py", "TOKENS = 20_480", "TOKENS = 20480  # so many"),
        ("commands/measure/position.py", "tokens of {SPLIT} to score", "how many tokens of {SPLIT}"),
        ("models/attention.py", "Both run through", "They run through"),
        ("analysis/story.py", "REPLACEMENTS = 3", "REPLACEMENTS = 4"),
        ("content/en/stories.md", "the", "a"),
    ],
)
def test_words_and_code_that_isnt_run(edit: Edit, file: str, before: str, after: str) -> None:
    was = digest(POSITION)
    edit(file, before, after)
    assert digest(POSITION) == was


@pytest.mark.parametrize(("module", "text"), [("record", "stories"), ("measure.prompts", "prompts")])
def test_a_text_that_is_measured_counts(edit: Edit, module: str, text: str) -> None:
    was = digest(f"txlviz.commands.{module}")
    edit(f"content/en/{text}.md", "the", "a")
    assert digest(f"txlviz.commands.{module}") != was


def test_there_is_no_such_module() -> None:
    with pytest.raises(ValueError, match=r"no module 'txlviz\.nothing'"):
        digest("txlviz.nothing")
