"""Byte-level BPE: any text has a tokenisation, and comes back from it unchanged."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

import tokenizers
from tokenizers import decoders, models, pre_tokenizers, trainers

# Words with the space before them, numbers in groups of up to three digits, runs of punctuation, runs of white space.
# <unk> stands 80,000 times in WikiText; as one piece it costs one token instead of three.
_PIECES = r" ?<unk>|'(?:s|t|re|ve|ll|d|m)\b| ?\p{L}+| ?\p{N}{1,3}| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"


class Tokenizer:
    """A thin shell around a ``tokenizers`` model, with the words of this project."""

    def __init__(self, inner: tokenizers.Tokenizer) -> None:
        self._inner = inner

    @classmethod
    def train(cls, texts: Iterable[str], vocab_size: int = 4096) -> Tokenizer:
        """Learns the merges from ``texts``. The 256 bytes are always in the vocabulary."""
        inner = tokenizers.Tokenizer(models.BPE())
        inner.pre_tokenizer = pre_tokenizers.Sequence(
            [
                pre_tokenizers.Split(tokenizers.Regex(_PIECES), behavior="isolated"),
                pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
            ]
        )
        inner.decoder = decoders.ByteLevel()
        trainer = trainers.BpeTrainer(
            vocab_size=vocab_size, initial_alphabet=pre_tokenizers.ByteLevel.alphabet(), show_progress=False, special_tokens=[]
        )
        inner.train_from_iterator(texts, trainer)
        return cls(inner)

    @classmethod
    def load(cls, path: str | Path) -> Tokenizer:
        """Reads ``tokenizer.json``. A file that isn't one raises ValueError."""
        try:
            inner = tokenizers.Tokenizer.from_file(str(path))
        except Exception as error:  # the library raises bare Exception
            raise ValueError(f"not a tokenizer ({error})") from error
        if not set().union(*inner.get_vocab()) <= _BYTE_OF.keys():
            raise ValueError("not a byte-level tokenizer: its tokens aren't made of bytes")
        return cls(inner)

    def save(self, path: str | Path) -> None:
        """Writes ``tokenizer.json``."""
        self._inner.save(str(path), pretty=False)

    @property
    def vocab_size(self) -> int:
        """(V) number of tokens."""
        return self._inner.get_vocab_size()

    @property
    def newline(self) -> int:
        """The token that is put before every text, so that the first token has a prediction too."""
        return self.encode("\n")[0]

    def encode(self, text: str) -> list[int]:
        """Token ids of ``text``. ValueError for a lone surrogate, which is half a character and no text."""
        try:
            text.encode("utf-8")
        except UnicodeEncodeError as error:
            half = f"U+{ord(text[error.start]):04X}"
            raise ValueError(
                f"the text holds half a character ({half}, a lone surrogate) at place {error.start + 1}"
            ) from error
        return list(self._inner.encode(text, add_special_tokens=False).ids)

    def decode(self, ids: Sequence[int]) -> str:
        """The text of ``ids``; bytes that are no character become U+FFFD."""
        return self.to_bytes(ids).decode("utf-8", errors="replace")

    def to_bytes(self, ids: Sequence[int]) -> bytes:
        """The bytes that ``ids`` stand for."""
        return b"".join(self._bytes(i) for i in ids)

    def show(self, ids: Sequence[int]) -> list[str]:
        """Each token as a person should read it.

        A space is ␣, a newline ↵, an invisible character its picture or number, and part of a multi-byte character is that
        character with its part in brackets, as in ``é[1/2]``.
        """
        pieces = [self._bytes(i) for i in ids]
        whole = b"".join(pieces)
        owner = _characters(whole)
        shown: list[str] = []
        at = 0
        for piece in pieces:
            shown.append(_show_span(whole, owner, at, at + len(piece)))
            at += len(piece)
        return shown

    def _bytes(self, token_id: int) -> bytes:
        token = self._inner.id_to_token(token_id)
        if token is None:
            raise ValueError(f"{token_id} is no token of this tokenizer (0 to {self.vocab_size - 1})")
        return bytes(_BYTE_OF[character] for character in token)


def _byte_table() -> dict[str, int]:
    """Byte-level BPE writes each byte as one printable character (the table of GPT-2): this is the way back."""
    printable = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    others = [byte for byte in range(256) if byte not in printable]
    return {chr(byte): byte for byte in printable} | {chr(256 + n): byte for n, byte in enumerate(others)}


_BYTE_OF = _byte_table()


def _characters(whole: bytes) -> list[tuple[int, int]]:
    """For each byte, the (start, end) of the character that it belongs to; a stray byte stands alone."""
    owner: list[tuple[int, int]] = []
    at = 0
    while at < len(whole):
        first = whole[at]
        length = 1 + (first >= 0xC0) + (first >= 0xE0) + (first >= 0xF0)
        try:
            whole[at : at + length].decode("utf-8")
        except UnicodeDecodeError:
            length = 1
        owner += [(at, at + length)] * length
        at += length
    return owner


def _show_span(whole: bytes, owner: list[tuple[int, int]], start: int, end: int) -> str:
    out: list[str] = []
    at = start
    while at < end:
        first, last = owner[at]
        stop = min(last, end)
        character = whole[first:last].decode("utf-8", errors="replace")
        if (at, stop) == (first, last):
            out.append(show_character(character))
        else:
            part = f"{at - first + 1}" if stop - at == 1 else f"{at - first + 1}-{stop - first}"
            out.append(f"{show_character(character)}[{part}/{last - first}]")
        at = stop
    return "".join(out)


def show_character(character: str) -> str:
    """One character so that it can be seen: ␣ for a space, ↵ for a newline, a picture or a number for what is invisible."""
    if character == " ":
        return "␣"
    if character == "\n":
        return "↵"
    code = ord(character)
    if code < 0x20:
        return chr(0x2400 + code)
    if code == 0x7F:
        return "␡"
    return character if character.isprintable() else f"⟨U+{code:04X}⟩"
