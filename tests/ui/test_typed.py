"""What a person typed is checked: the sentence's reason, the limit, and nothing lost or made up at the cut."""

from __future__ import annotations

import pytest

from tests.analysis.small import tokenizer
from txlviz.ui.typed import TOKEN_LIMIT, check, other_script


@pytest.mark.parametrize("text", ["", " ", "\n\t  \n", "\u3000"])
def test_no_word_is_no_text(text: str) -> None:
    assert check(text, tokenizer()).problem == "empty"
    assert check(text, tokenizer()).text is None


@pytest.mark.parametrize("text", ["a", "<unk>", "nul \0 \x1b", "<b>$x$**", "😀👨‍👩‍👧", "مرحبا", "你好", "� e\u0301"])
def test_any_text_goes_through_unchanged(text: str) -> None:
    checked = check(text, tokenizer())
    assert (checked.text, checked.problem) == (text, None)
    assert checked.tokens == len(tokenizer().encode(text))


def test_half_a_character_is_refused() -> None:
    assert check("cut \ud83d here", tokenizer()).problem == "half_character"


@pytest.mark.parametrize("unit", ["the river ", "x", "😀", "مرحبا ", "� "])
def test_a_long_text_is_cut_at_the_limit(unit: str) -> None:
    text = unit * (100_000 // len(unit))
    checked = check(text, tokenizer())
    assert checked.problem == "too_long"
    assert checked.text is not None
    assert text.startswith(checked.text)
    assert TOKEN_LIMIT - 8 <= len(tokenizer().encode(checked.text)) <= TOKEN_LIMIT
    assert checked.tokens == len(tokenizer().encode(text))


def test_exactly_the_limit_is_allowed() -> None:
    text = "\n".join("1" for _ in range(TOKEN_LIMIT))
    while len(tokenizer().encode(text)) > TOKEN_LIMIT:
        text = text[:-1]
    assert check(text, tokenizer()).problem is None


def test_other_scripts_are_noticed() -> None:
    assert other_script("你好 world ok") is False
    assert other_script("你好你好 ok")
    assert not other_script("Café naïve 123 😀")
    assert not other_script("123 ...")
