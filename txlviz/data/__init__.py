"""The corpus, the tokenizer, and batches made of them."""

from txlviz.data.corpus import LICENCE, SPLITS, CorpusError, Split, SplitName, load_split
from txlviz.data.streams import Streams, segments
from txlviz.data.tokenizer import Tokenizer

__all__ = ["LICENCE", "SPLITS", "CorpusError", "Split", "SplitName", "Streams", "Tokenizer", "load_split", "segments"]
