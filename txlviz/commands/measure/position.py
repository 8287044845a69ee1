"""``python -m txlviz measure position [PRESET]``: loss by position in the segment, each token scored at every position."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import torch

from txlviz import checkpoint as checkpoints
from txlviz import recorded
from txlviz.analysis.by_position import Losses, curve, losses_by_position, tokens_before_full
from txlviz.checkpoint import Checkpoint
from txlviz.commands.arguments import positive
from txlviz.data import load_split
from txlviz.data.corpus import SplitName

PRESET, FILE = "wikitext2-4l", "position.json"
CHECKPOINTS = Path(__file__).parents[3] / "checkpoints"
SPLIT: SplitName = "valid"
TOKENS = 20_480


def add_parser(kinds: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Describes the command's options."""
    parser = kinds.add_parser("position", help="loss by position in the segment, the cut moved through all offsets")
    parser.add_argument("preset", nargs="?", default=PRESET, help=f"whose models (default: {PRESET})")
    parser.add_argument("--data-dir", type=Path, help="folder with wiki.{train,valid,test}.tokens (default: the hub)")
    parser.add_argument("--tokens", type=positive, default=TOKENS, help=f"tokens of {SPLIT} to score (default: {TOKENS:,})")
    parser.add_argument("--checkpoints", type=Path, default=CHECKPOINTS, help="the folder that holds the presets")
    parser.add_argument("--threads", type=positive, default=1, help="threads of the processor (1: the models are small)")
    parser.add_argument("--json", action="store_true", help="print one JSON object and nothing else")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> None:
    """Scores, writes the record beside the checkpoints, and prints the first and the last position."""
    torch.set_num_threads(args.threads)
    folder = args.checkpoints / args.preset
    pair = {kind: checkpoints.load(folder / kind) for kind in ("xl", "vanilla")}
    text = load_split(SPLIT, args.data_dir).text
    values = {"preset": args.preset, "split": SPLIT, **measure(pair["xl"], pair["vanilla"], text, args.tokens)}
    path = folder / FILE
    recorded.write(path, values, {kind: source.weights_hash for kind, source in pair.items()})
    if args.json:
        print(json.dumps({"file": str(path), **values}))
        return
    print(f"{'nats a token':14} {'first position':>18} {'last position':>18} {'mean of all':>12}")
    for name, one in values["curves"].items():
        ends = [f"{one['mean'][at]:9.3f} ± {one['standard_error'][at]:.3f}" for at in (0, -1)]
        print(f"{name:14} {ends[0]:>18} {ends[1]:>18} {np.mean(one['mean']):12.4f}")
    print(f"written: {path}")


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
    return [float(f"{value:.5g}") for value in values]
