"""From WikiText's spaced-out tokens ("the man , who @-@") to text as people type it, and back.

The way back exists so that nothing is lost: ``tokenize(detokenize(line)) == line.split()`` for every line, by construction.
A token is joined to the text before it only if ``tokenize`` would take them apart again, and a token that ``tokenize``
would itself take apart is marked by two spaces after it.
"""

from __future__ import annotations

import re
from functools import lru_cache

_ABBREVIATION = re.compile(
    r"(?:[A-Za-z]\.)+|"
    r"(?:No|Nos|St|Dr|Mr|Mrs|Ms|Jr|Sr|Op|vs|pp|var|Bros|Inc|Lt|Rev|Col|Gen|Sgt|Ltd|Co|Ph\.D|ssp|sp|al|Nr|Capt|Maj|Gov|Sen|Rep|Mt|Ft)\."
)
_BRACKETS = ("(", "[", "“", "$", "£", "€", "¥", "#")
_OPENERS = (*_BRACKETS, '"', "'")
_CLOSERS = ("...", ",", ";", ":", "!", "?", ")", "]", "”", "%", '"', ".", "'")
_INNER = re.compile(r"(?<=[\w>])[-/](?=[\w<])|(?<=\d)[.,](?=\d)|(?<=[\w>])(?='\w)")
_JOINED = {"@-@": "-", "@.@": ".", "@,@": ",", "/": "/"}
_SPLIT = {mark: token for token, mark in _JOINED.items()}


def detokenize(line: str) -> str:
    """One WikiText line to natural text. Only the spaces between tokens change, and the marks ``@-@``, ``@.@``, ``@,@``."""
    tokens = line.split()
    chunks: list[str] = []
    current: list[str] = []  # the tokens in the last chunk
    quoted = apostrophe = False
    i = 0
    while i < len(tokens):
        token = tokens[i]
        if current and token in _JOINED and i + 1 < len(tokens):
            joined = [*current, token, tokens[i + 1]]
            text = chunks[-1] + _JOINED[token] + tokens[i + 1]
            if tokenize_chunk(text) == joined:
                chunks[-1], current = text, joined
                i += 2
                continue
        if current and _wants_to_join(current[-1], token, quoted, apostrophe):
            text = chunks[-1] + token
            if tokenize_chunk(text) == [*current, token]:
                chunks[-1] = text
                current = [*current, token]
                quoted ^= token == '"'
                apostrophe &= token != "'"
                i += 1
                continue
        quoted ^= token == '"'
        apostrophe ^= token == "'"
        atomic = tokenize_chunk(token) != [token]
        chunks.append(token + " " if atomic else token)
        current = [] if atomic else [token]
        i += 1
    return " ".join(chunks)


def tokenize(text: str) -> list[str]:
    """One line of detokenised text back to WikiText's tokens."""
    tokens: list[str] = []
    for chunk, whole in re.findall(r"(\S+)(  | \Z)?", text):
        tokens.extend([chunk] if whole else tokenize_chunk(chunk))
    return tokens


def _wants_to_join(previous: str, token: str, quoted: bool, apostrophe: bool) -> bool:
    """Whether people write ``token`` right after ``previous``."""
    if previous in _BRACKETS or (previous == '"' and quoted) or (previous == "'" and apostrophe):
        return True
    if token == '"':
        return quoted
    if token == "'":
        return apostrophe or previous.endswith("s")
    return token in _CLOSERS or token.startswith("'")


@lru_cache(maxsize=200_000)
def _parts(chunk: str) -> tuple[str, ...]:
    front: list[str] = []
    back: list[str] = []
    while len(chunk) > 1 and chunk[0] in _OPENERS:
        front.append(chunk[0])
        chunk = chunk[1:]
    while closer := _closer(chunk):
        back.append(closer)
        chunk = chunk[: -len(closer)]
    middle: list[str] = []
    start = 0
    for mark in _INNER.finditer(chunk):
        middle.append(chunk[start : mark.start()])
        if mark.group():
            middle.append(_SPLIT[mark.group()])
        start = mark.end()
    return (*front, *middle, chunk[start:], *reversed(back))


def _closer(chunk: str) -> str | None:
    """The punctuation that ends ``chunk`` and is a token of its own, if any."""
    if set(chunk) == {"."} or _ABBREVIATION.fullmatch(chunk):
        return None
    return next((closer for closer in _CLOSERS if len(chunk) > len(closer) and chunk.endswith(closer)), None)


def tokenize_chunk(chunk: str) -> list[str]:
    """One run of characters without a space, taken apart by WikiText's conventions."""
    return list(_parts(chunk))
