"""Detokenised text reads as people write, and WikiText's tokens come back from it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from txlviz.data import SPLITS, load_split
from txlviz.data.detokenize import detokenize, tokenize

PAIRS = [
    (" The man , who was old , left . \n", "The man, who was old, left."),
    ("a well @-@ known 1 @,@ 250 @.@ 5 km road", "a well-known 1,250.5 km road"),
    ('he said " no , never " , and left', 'he said "no, never", and left'),
    ("the town 's mayor didn 't ask O 'Brien", "the town's mayor didn't ask O'Brien"),
    ("the ships ' crews ( about 40 men ) ; $ 5 and 12 % : done", "the ships' crews (about 40 men); $5 and 12%: done"),
    ("Dr. Smith of the U.S. Navy wrote No. 5 .", "Dr. Smith of the U.S. Navy wrote No. 5."),
    ("he was a <unk> @-@ like <unk> , and / or not", "he was a <unk>-like <unk>, and/or not"),
    (" = = History = = ", "= = History = ="),
    ("1990 – 1995 and so on ...", "1990 – 1995 and so on..."),
    (" ", ""),
]


@pytest.mark.parametrize(("line", "natural"), PAIRS)
def test_reads_as_people_write(line: str, natural: str) -> None:
    assert detokenize(line) == natural


@pytest.mark.parametrize("line", [line for line, _ in PAIRS])
def test_tokens_come_back(line: str) -> None:
    assert tokenize(detokenize(line)) == line.split()


WORDS = [
    "the",
    "Man",
    "7",
    "1,000th",
    "U.S.",
    "I",
    "I.",
    "a-b",
    "x.",
    "'",
    '"',
    "''",
    "<unk>",
    "é",
    "日本",
    "…",
    "-",
    "@",
    "(a)",
]
MARKS = [
    "@-@",
    "@.@",
    "@,@",
    ",",
    ".",
    "...",
    "....",
    "..",
    "(",
    ")",
    "[",
    "]",
    ":",
    ";",
    "$",
    "%",
    "/",
    "'s",
    "'t",
    "'Brien",
    "!",
    "?",
]


@given(
    st.lists(
        st.one_of(st.sampled_from(WORDS + MARKS), st.text(min_size=1, max_size=4).filter(lambda t: t.split() == [t])),
        max_size=25,
    )
)
@example(["World", "War", "I", ".", "x", "'"])
@example(["Baby."])
def test_nothing_is_lost_whatever_the_tokens(tokens: list[str]) -> None:
    assert tokenize(detokenize(" ".join(tokens))) == tokens


if "TXLVIZ_DATA_DIR" in os.environ:  # where the corpus is at hand; each training run checks it too and records it in the card

    def test_every_line_of_the_corpus_comes_back() -> None:
        splits = [load_split(name, Path(os.environ["TXLVIZ_DATA_DIR"])) for name in SPLITS]
        assert [split.invertible for split in splits] == [True, True, True]
        assert [split.words for split in splits] == [2_088_628, 217_646, 245_569]
