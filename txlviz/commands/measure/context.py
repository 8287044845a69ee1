"""``python -m txlviz measure context [PRESET]``: the loss of each target given exactly c tokens, for both models."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from tqdm import tqdm

from txlviz import checkpoint as checkpoints
from txlviz.analysis import context_record
from txlviz.checkpoint import Checkpoint
from txlviz.commands.arguments import positive
from txlviz.data import load_split
from txlviz.data.corpus import SplitName

PRESET = "wikitext2-4l"
CHECKPOINTS = Path(__file__).parents[3] / "checkpoints"
SPLIT: SplitName = "valid"


def add_parser(kinds: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Describes the command's options."""
    parser = kinds.add_parser("context", help="loss given exactly c tokens of context, for c from 1 to 512")
    parser.add_argument("preset", nargs="?", default=PRESET, help=f"whose models (default: {PRESET})")
    parser.add_argument("--data-dir", type=Path, help="folder with wiki.{train,valid,test}.tokens (default: the hub)")
    targets, apart = context_record.TARGETS, context_record.SPACING
    parser.add_argument(
        "--targets",
        type=positive,
        default=targets,
        help=f"tokens of {SPLIT} to predict, {apart} apart (default: {targets:,})",
    )
    parser.add_argument("--checkpoints", type=Path, default=CHECKPOINTS, help="the folder that holds the presets")
    parser.add_argument("--threads", type=positive, default=1, help="threads of the processor (1: the models are small)")
    parser.add_argument("--json", action="store_true", help="print one JSON object and nothing else")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> None:
    """Scores, writes both files of the record beside the checkpoints, and prints some of the means."""
    torch.set_num_threads(args.threads)
    folder = args.checkpoints / args.preset
    pair = {kind: checkpoints.load(folder / kind) for kind in ("xl", "vanilla")}
    text = load_split(SPLIT, args.data_dir).text
    facts, losses = measure(pair, text, args.targets)
    values = {"preset": args.preset, "split": SPLIT, **facts}
    context_record.write(folder, values, losses, {kind: source.weights_hash for kind, source in pair.items()})
    if args.json:
        print(json.dumps({"file": str(folder / context_record.FACTS), **values}))
        return
    print(f"{'c tokens':>8} {'Transformer-XL':>26} {'vanilla':>26}   nats a token, 95 %")
    for at, c in enumerate(facts["contexts"]):
        if c & (c - 1) == 0:
            ends = [
                f"{one['mean'][at]:8.4f} ({one['low'][at]:.4f} to {one['high'][at]:.4f})" for one in facts["curves"].values()
            ]
            print(f"{c:8} {ends[0]:>26} {ends[1]:>26}")
    for kind, one in facts["curves"].items():
        print(f"{kind}: no longer context lowers the mean by {facts['flat_tolerance']} nats from c = {one['flat']} on")
    print(f"written: {folder / context_record.FACTS}, {folder / context_record.LOSSES}")


def measure(pair: dict[str, Checkpoint], text: str, targets: int) -> tuple[dict[str, Any], dict[str, npt.NDArray[np.float16]]]:
    """What is known of the losses, and the losses (context, target) of both models over the same targets.

    ValueError where the text is too short.
    """
    contexts = context_record.CONTEXTS
    ids = torch.tensor(pair["xl"].encode(text))
    places = context_record.targets_of(len(ids), max(contexts), targets)
    losses: dict[str, npt.NDArray[np.float16]] = {}
    for kind, source in pair.items():
        with tqdm(total=100, desc=kind, file=sys.stderr, bar_format="{l_bar}{bar}| {elapsed}<{remaining}") as bar:

            def tell(share: float, bar: Any = bar) -> None:
                bar.n = 100 * share
                bar.refresh()

            losses[kind] = context_record.losses_of(source.model, ids, places, contexts, tell).astype(np.float16)
    facts = {
        "contexts": list(contexts),
        "targets": targets,
        "stretches": context_record.STRETCHES,
        "spacing": context_record.SPACING,
        "first_target": int(places[0]),
        "last_target": int(places[-1]),
        "trained": {kind: source.config.segment_length for kind, source in pair.items()},
        "trained_memory": pair["xl"].config.mem_len,
        "bootstrap": {
            "seed": context_record.SEED,
            "draws": context_record.RESAMPLES,
            "neighbours": context_record.NEIGHBOURS,
            "percent": 95,
        },
        "flat_tolerance": context_record.FLAT,
        "curves": {kind: context_record.summary(table, contexts) for kind, table in losses.items()},
    }
    return facts, losses
