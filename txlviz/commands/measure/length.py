"""``python -m txlviz measure length [PRESET]``: the loss in segments longer than the models were trained with."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Mapping
from typing import Any

from tqdm import tqdm

from txlviz.analysis.extrapolation import LENGTHS, losses_by_length
from txlviz.checkpoint import Checkpoint
from txlviz.commands import pair
from txlviz.commands.arguments import positive
from txlviz.data import load_split
from txlviz.recorded import significant

PRESET, FILE = "wikitext2-4l", "length.json"


def add_parser(kinds: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Describes the command's options."""
    parser = kinds.add_parser("length", help="loss in segments longer than the models were trained with")
    pair.add_options(parser, PRESET, corpus=True, threads=True)
    parser.add_argument("--lengths", type=positive, nargs="+", default=list(LENGTHS), metavar="L", help="the L to try")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> None:
    """Scores the split once for each length and model, writes the record beside the checkpoints, and prints the losses."""
    models = pair.load(args)
    text = load_split("valid", args.data_dir).text
    values = {"preset": args.preset, "split": "valid", **measure(models["xl"], models["vanilla"], text, tuple(args.lengths))}
    pair.record(args, FILE, models, values, _lines(values), __name__)


def _lines(values: Mapping[str, Any]) -> Iterator[str]:
    yield f"{'nats a token':14}" + "".join(f"{f'L = {length}':>10}" for length in values["lengths"])
    for name, losses in values["curves"].items():
        yield f"{name:14}" + "".join(f"{loss:10.4f}" for loss in losses)


def measure(xl: Checkpoint, vanilla: Checkpoint, text: str, lengths: tuple[int, ...] = LENGTHS) -> dict[str, Any]:
    """Mean losses of the vanilla model, of the Transformer-XL without memory, and with its own M; every token is scored."""
    M = xl.config.mem_len
    curves = {}
    for name, source, rows in (("vanilla", vanilla, 0), ("xl_no_memory", xl, 0), ("xl", xl, M)):
        print(f"{name}, M = {rows}", file=sys.stderr)
        with tqdm(total=sum(lengths), unit="L", leave=False) as bar:
            losses = losses_by_length(source, text, lengths, rows, done=bar.update)
        curves[name] = [significant(loss) for loss in losses]
    return {
        "segment_length": vanilla.config.segment_length,
        "memory_length": M,
        "tokens": len(xl.encode(text)),
        "lengths": list(lengths),
        "curves": curves,
    }
