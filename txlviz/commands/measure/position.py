"""``python -m txlviz measure position [PRESET]``: loss by position in the segment, each token scored at every position."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import torch

from txlviz.analysis.by_position import Losses, curve, losses_by_position, tokens_before_full
from txlviz.checkpoint import Checkpoint
from txlviz.commands import pair
from txlviz.commands.arguments import positive
from txlviz.data import load_split
from txlviz.data.corpus import SplitName
from txlviz.recorded import significant

PRESET, FILE = "wikitext2-4l", "position.json"
SPLIT: SplitName = "valid"
TOKENS = 20_480


def add_parser(kinds: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Describes the command's options."""
    parser = kinds.add_parser("position", help="loss by position in the segment, the cut moved through all offsets")
    pair.add_options(parser, PRESET, corpus=True, threads=True)
    parser.add_argument("--tokens", type=positive, default=TOKENS, help=f"tokens of {SPLIT} to score (default: {TOKENS:,})")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> None:
    """Scores, writes the record beside the checkpoints, and prints the first and the last position."""
    models = pair.load(args)
    text = load_split(SPLIT, args.data_dir).text
    values = {"preset": args.preset, "split": SPLIT, **measure(models["xl"], models["vanilla"], text, args.tokens)}
    pair.record(args, FILE, models, values, _lines(values["curves"]), __name__)


def _lines(curves: Mapping[str, Any]) -> Iterator[str]:
    yield f"{'nats a token':14} {'first position':>18} {'last position':>18} {'mean of all':>12}"
    for name, one in curves.items():
        ends = [f"{one['mean'][at]:9.3f} ± {one['standard_error'][at]:.3f}" for at in (0, -1)]
        yield f"{name:14} {ends[0]:>18} {ends[1]:>18} {np.mean(one['mean']):12.4f}"


def measure(xl: Checkpoint, vanilla: Checkpoint, text: str, tokens: int) -> dict[str, Any]:
    """Curves of the vanilla model, of the Transformer-XL with its own M, and of the same model without memory.

    All three score the same tokens. ValueError where the text is too short for that many.
    """
    L, M = vanilla.config.segment_length, xl.config.mem_len
    skip = tokens_before_full(xl.config.n_layers, L, M)
    wanted = skip + 2 * L + -(-tokens // L) * L  # all offsets read whole segments
    ids = torch.tensor(xl.encode(text)[:wanted])
    if len(ids) < wanted:
        raise ValueError(f"the text has {len(ids):,} tokens; {wanted:,} are needed to score {tokens:,}")
    runs: dict[str, Losses] = {}
    for name, source, rows in (("vanilla", vanilla, 0), ("xl_no_memory", xl, 0), ("xl", xl, M)):
        print(f"{name}, M = {rows}", file=sys.stderr)
        runs[name] = losses_by_position(source.model, ids, L, rows, skip=skip, progress=True)[:tokens]
    return {
        "segment_length": L,
        "memory_length": M,
        "tokens": tokens,
        "left_out": skip + L,
        "curves": {name: _curve(losses) for name, losses in runs.items()},
        # Of the same token at the same position, one model against the other: far less noise than between the means.
        "vanilla_minus_xl": _curve(runs["vanilla"] - runs["xl"]),
        "xl_loses_share": _rounded((runs["xl"] > runs["vanilla"]).mean(axis=0)),
    }


def _curve(losses: Losses) -> dict[str, list[float]]:
    made = curve(losses)
    return {"mean": _rounded(made.mean), "standard_error": _rounded(made.standard_error)}


def _rounded(values: np.ndarray[Any, np.dtype[np.float64]]) -> list[float]:
    return [significant(value) for value in values]
