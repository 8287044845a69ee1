"""WikiText-2 (Merity et al. 2016) as natural text, from the Hugging Face hub or from a folder of the same files."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from txlviz.data.detokenize import detokenize, tokenize

SplitName = Literal["train", "valid", "test"]
SPLITS: tuple[SplitName, ...] = ("train", "valid", "test")

HUB_NAME, HUB_CONFIG = "Salesforce/wikitext", "wikitext-2-v1"
WORDS = {"train": 2_088_628, "valid": 217_646, "test": 245_569}
"""Words of the original splits, with one ``<eos>`` a line."""
LICENCE = "Wikipedia text, CC BY-SA 3.0 and GFDL"


class CorpusError(RuntimeError):
    """The corpus can't be had; the message says what to do."""


@dataclass(frozen=True)
class Split:
    """One split of the corpus."""

    name: SplitName
    text: str
    """Detokenised: one line a line of the original, each ended by a newline."""
    words: int
    """Words of the original split plus one ``<eos>`` a line: what perplexity per word is counted over."""
    invertible: bool
    """Whether every line of the original comes back from ``text``. If not, perplexity per word is a lower bound."""


def load_split(name: SplitName, data_dir: str | Path | None = None) -> Split:
    """Reads one split.

    Args:
        name: ``"train"``, ``"valid"`` or ``"test"``.
        data_dir: a folder with ``wiki.{train,valid,test}.tokens``; None asks the hub (or its local cache).

    Raises:
        CorpusError: neither the hub nor the folder has it.
    """
    lines = _lines(name, data_dir)
    natural = [detokenize(line) for line in lines]
    words = [line.split() for line in lines]
    return Split(
        name=name,
        text="".join(line + "\n" for line in natural),
        words=sum(map(len, words)) + len(lines),
        invertible=all(tokenize(line) == original for line, original in zip(natural, words, strict=True)),
    )


def _lines(name: SplitName, data_dir: str | Path | None) -> list[str]:
    """The lines of a split, without their ends."""
    import datasets  # slow to import, and not needed by the app

    datasets.disable_progress_bars()
    datasets.config.HF_UPDATE_DOWNLOAD_COUNTS = False  # with a folder, nothing at all is asked of the network
    logging.getLogger("huggingface_hub").setLevel(logging.ERROR)  # its retries say less than the sentence below
    failures = (OSError, ValueError, RuntimeError, datasets.exceptions.DatasetsError)  # by release, and by what is missing
    if data_dir is not None:
        path = Path(data_dir) / f"wiki.{name}.tokens"
        if not path.is_file():
            raise CorpusError(f"{path} isn't there: --data-dir must name a folder with wiki.{{train,valid,test}}.tokens")
        try:
            data = datasets.load_dataset("text", data_files={name: str(path)}, split=name)
        except failures as error:
            raise CorpusError(
                f"{path} can't be read as UTF-8 lines of text ({_first_line(error.__cause__ or error)})"
            ) from error
    else:
        try:
            data = datasets.load_dataset(HUB_NAME, HUB_CONFIG, split="validation" if name == "valid" else name)
        except failures as error:
            raise CorpusError(
                f"WikiText-2 can't be loaded: either connect to the network, so that {HUB_NAME} ({HUB_CONFIG}) can be fetched "
                "from the Hugging Face hub, or name a folder with wiki.{train,valid,test}.tokens by --data-dir"
            ) from error
    return [line.removesuffix("\n") for line in data["text"]]


def _first_line(error: BaseException) -> str:
    return (str(error) or type(error).__name__).splitlines()[0]
