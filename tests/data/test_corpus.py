"""Loading WikiText-2: a folder and the hub give the same lines; neither gives one sentence."""

from __future__ import annotations

import socket
from pathlib import Path
from typing import Any

import datasets
import pytest

from txlviz.data import CorpusError, load_split

LINES = [" \n", " = A title = \n", " \n", " The man , who was old , left @-@ handed . \n", " He came to <unk> .\u2028x \n"]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(datasets.config, "HF_DATASETS_CACHE", tmp_path / "cache")
    for name in ("train", "valid", "test"):
        (tmp_path / f"wiki.{name}.tokens").write_text("".join(LINES), encoding="utf-8", newline="\n")
    return tmp_path


def test_text_and_words(folder: Path) -> None:
    split = load_split("valid", folder)
    assert split.text == "\n= A title =\n\nThe man, who was old, left-handed.\nHe came to <unk>. x\n"
    assert split.words == 4 + 11 + 6 + 5  # words, and one <eos> a line
    assert split.invertible


def test_the_hub_takes_the_same_way(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Any] = []

    def hub(*args: Any, **kwargs: Any) -> datasets.Dataset:
        asked.append((args, kwargs))
        return datasets.Dataset.from_dict({"text": LINES})

    local = load_split("valid", folder)
    monkeypatch.setattr(datasets, "load_dataset", hub)
    assert load_split("valid") == local
    assert asked == [(("Salesforce/wikitext", "wikitext-2-v1"), {"split": "validation"})]


def test_without_network_one_sentence_names_both_ways(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*args: Any, **kwargs: Any) -> None:
        raise ConnectionError("no route")

    monkeypatch.setattr(datasets, "load_dataset", refuse)
    with pytest.raises(CorpusError) as caught:
        load_split("test")
    assert "hub" in str(caught.value)
    assert "--data-dir" in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("content", [b"", b"\xff\xfe\x00\x80 latin \xe9\n"])
def test_an_empty_or_foreign_file_is_named(folder: Path, content: bytes) -> None:
    (folder / "wiki.test.tokens").write_bytes(content)
    with pytest.raises(CorpusError, match=r"wiki\.test\.tokens can't be read") as caught:
        load_split("test", folder)
    assert "\n" not in str(caught.value)


def test_a_folder_asks_nothing_of_the_network(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*args: Any, **kwargs: Any) -> None:
        raise AssertionError(f"asked for {args}")

    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    monkeypatch.setattr(socket.socket, "connect", refuse)
    (folder / "wiki.train.tokens").write_text(" other lines , not in any cache . \n", encoding="utf-8")
    assert load_split("train", folder).words == 9


def test_a_folder_without_the_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match=r"wiki\.valid\.tokens isn't there"):
        load_split("valid", tmp_path)
