"""``python -m txlviz measure length [PRESET]``: the loss in segments longer than the models were trained with."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

import torch
from tqdm import tqdm

from txlviz import checkpoint as checkpoints
from txlviz import recorded
from txlviz.analysis.extrapolation import LENGTHS, losses_by_length
from txlviz.checkpoint import Checkpoint
from txlviz.commands.arguments import positive
from txlviz.data import load_split

PRESET, FILE = "wikitext2-4l", "length.json"
CHECKPOINTS = Path(__file__).parents[3] / "checkpoints"


def add_parser(kinds: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Describes the command's options."""
    parser = kinds.add_parser("length", help="loss in segments longer than the models were trained with")
    parser.add_argument("preset", nargs="?", default=PRESET, help=f"whose models (default: {PRESET})")
    parser.add_argument("--data-dir", type=Path, help="folder with wiki.{train,valid,test}.tokens (default: the hub)")
    parser.add_argument("--lengths", type=positive, nargs="+", default=list(LENGTHS), metavar="L", help="the L to try")
    parser.add_argument("--checkpoints", type=Path, default=CHECKPOINTS, help="the folder that holds the presets")
    parser.add_argument("--threads", type=positive, default=1, help="threads of the processor (1: the models are small)")
    parser.add_argument("--json", action="store_true", help="print one JSON object and nothing else")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> None:
    """Scores the split once for each length and model, writes the record beside the checkpoints, and prints the losses."""
    torch.set_num_threads(args.threads)
    folder = args.checkpoints / args.preset
    pair = {kind: checkpoints.load(folder / kind) for kind in ("xl", "vanilla")}
    text = load_split("valid", args.data_dir).text
    values = {"preset": args.preset, "split": "valid", **measure(pair["xl"], pair["vanilla"], text, tuple(args.lengths))}
    path = folder / FILE
    recorded.write(path, values, {kind: source.weights_hash for kind, source in pair.items()})
    if args.json:
        print(json.dumps({"file": str(path), **values}))
        return
    print(f"{'nats a token':14}" + "".join(f"{f'L = {length}':>10}" for length in values["lengths"]))
    for name, losses in values["curves"].items():
        print(f"{name:14}" + "".join(f"{loss:10.4f}" for loss in losses))
    print(f"written: {path}")


def measure(xl: Checkpoint, vanilla: Checkpoint, text: str, lengths: tuple[int, ...] = LENGTHS) -> dict[str, Any]:
    """Mean losses of the vanilla model, of the Transformer-XL without memory, and with its own M; every token is scored."""
    M = xl.config.mem_len
    curves = {}
    for name, source, rows in (("vanilla", vanilla, 0), ("xl_no_memory", xl, 0), ("xl", xl, M)):
        print(f"{name}, M = {rows}", file=sys.stderr)
        with tqdm(total=sum(lengths), unit="L", leave=False) as bar:
            losses = losses_by_length(source, text, lengths, rows, done=bar.update)
        curves[name] = [float(f"{loss:.5g}") for loss in losses]
    return {
        "segment_length": vanilla.config.segment_length,
        "memory_length": M,
        "tokens": len(xl.encode(text)),
        "lengths": list(lengths),
        "curves": curves,
    }
