"""``python -m txlviz measure card PRESET KIND``: what a trained model scores, measured anew and written into its card."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping
from typing import Any

import torch

from txlviz import checkpoint as checkpoints
from txlviz.checkpoint import CARD
from txlviz.commands import pair
from txlviz.data import load_split
from txlviz.recorded import CODE
from txlviz.source_digest import digest
from txlviz.training import card_scores

PRESET = "wikitext2-4l"


def add_parser(kinds: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Describes the command's options."""
    parser = kinds.add_parser("card", help="scores on valid and test, and the best M, of a model that is trained already")
    pair.add_options(parser, PRESET, corpus=True, threads=True)
    parser.add_argument("kind", nargs="?", choices=["xl", "vanilla"], default="xl", help="which model (default: xl)")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> None:
    """Scores both splits, and writes the card and, for a Transformer-XL, its M into the config."""
    torch.set_num_threads(args.threads)
    source = checkpoints.load(args.checkpoints / args.preset / args.kind)
    found = card_scores.score(source, [load_split("valid", args.data_dir), load_split("test", args.data_dir)])
    code = {CODE: digest(card_scores.__name__)}
    checkpoints.rescored(source, {**code, **source.card, **code, **found})
    pair.report(args, [source.path / CARD], found, _lines(found))


def _lines(found: Mapping[str, Any]) -> Iterator[str]:
    for rows, loss in found.get("valid_loss_by_memory", {}).items():
        yield f"M = {rows:>4} {loss:10.4f} nats a token on valid"
    for split, one in found["scores"].items():
        perplexities = f"{one['token_perplexity']:8.2f} a token {one['word_perplexity']:8.2f} a word"
        yield f"{split:6} {perplexities}, M = {one['memory_length']}"
