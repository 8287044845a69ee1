"""Byte-level BPE: any Unicode text comes back, and tokens are shown so that they can be read."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from txlviz.data import Tokenizer

TEXT = "The old man and the sea. The man, who was <unk>, didn't see the old sea in 1952 – or 1953.\n" * 20


@pytest.fixture(scope="module")
def tokenizer() -> Tokenizer:
    return Tokenizer.train([TEXT], vocab_size=400)


@given(st.text())
def test_any_text_comes_back(tokenizer: Tokenizer, text: str) -> None:
    assert tokenizer.decode(tokenizer.encode(text)) == text


@pytest.mark.parametrize(
    "text",
    ["", " ", "\x00", "a\x00b", "\r\n\t", "😀", "👩‍👩‍👧", "مرحبا", "你好", "<b>&amp;</b>", "$x^2$", "\ufeff", "\U0010ffff"],
)
def test_these_texts_come_back(tokenizer: Tokenizer, text: str) -> None:
    assert tokenizer.decode(tokenizer.encode(text)) == text


def test_a_lone_surrogate_is_refused_by_name(tokenizer: Tokenizer) -> None:
    with pytest.raises(ValueError, match=r"U\+D83D.*place 3"):
        tokenizer.encode("ab\ud83d")


def test_known_words_are_one_token(tokenizer: Tokenizer) -> None:
    assert tokenizer.show(tokenizer.encode("The old <unk>\n")) == ["The", "␣old", "␣<unk>", "↵"]


def test_parts_of_a_character_are_marked(tokenizer: Tokenizer) -> None:
    assert tokenizer.show(tokenizer.encode("é")) == ["é[1/2]", "é[2/2]"]
    assert tokenizer.show(tokenizer.encode("😀")) == ["😀[1/4]", "😀[2/4]", "😀[3/4]", "😀[4/4]"]


def test_invisible_characters_are_shown(tokenizer: Tokenizer) -> None:
    assert "".join(tokenizer.show(tokenizer.encode("a\x00\t\x7f"))) == "a␀␉␡"
    shown = "".join(tokenizer.show(tokenizer.encode("\u202e")))
    assert "\u202e" not in shown
    assert "U+202E" in shown


def test_bytes_that_are_no_character(tokenizer: Tokenizer) -> None:
    first = tokenizer.encode("é")[0]
    assert tokenizer.decode([first]) == "\ufffd"
    assert tokenizer.show([first]) == ["\ufffd"]


def test_saved_and_loaded(tokenizer: Tokenizer, tmp_path: Path) -> None:
    tokenizer.save(tmp_path / "tokenizer.json")
    again = Tokenizer.load(tmp_path / "tokenizer.json")
    assert again.encode(TEXT) == tokenizer.encode(TEXT)
    assert again.vocab_size == tokenizer.vocab_size
    (tmp_path / "tokenizer.json").write_text("{}")
    with pytest.raises(ValueError, match="not a tokenizer"):
        Tokenizer.load(tmp_path / "tokenizer.json")


def test_training_gives_the_same_tokenizer_each_time(tokenizer: Tokenizer) -> None:
    assert Tokenizer.train([TEXT], vocab_size=400).encode(TEXT) == tokenizer.encode(TEXT)


def test_an_id_out_of_range_is_refused(tokenizer: Tokenizer) -> None:
    with pytest.raises(ValueError, match="is no token"):
        tokenizer.show([tokenizer.vocab_size])
