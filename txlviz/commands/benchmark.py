"""``python -m txlviz benchmark eval [PRESET]``: what evaluation costs by the clock, at attention lengths of 64 to 3,800."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch
from tqdm import tqdm

from txlviz import checkpoint as checkpoints
from txlviz import recorded
from txlviz.analysis.eval_profile import time_shares
from txlviz.analysis.eval_speed import LENGTHS, SEGMENT_LENGTH, SpeedPoint, measure
from txlviz.analysis.flops import cached_flops, window_flops
from txlviz.checkpoint import Checkpoint
from txlviz.commands.arguments import positive
from txlviz.commands.machine import load, machine

PRESET, FILE = "wikitext2-2l", "eval_speed.json"
CHECKPOINTS = Path(__file__).parents[2] / "checkpoints"
ROUNDS = 7


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Describes the command's options."""
    parser = commands.add_parser("benchmark", help="measure speed on this machine")
    kinds = parser.add_subparsers(metavar="WHAT", required=True)
    evaluation = kinds.add_parser(
        "eval", help="time and FLOPs for one scored token: the cached Transformer-XL, the vanilla sliding window"
    )
    evaluation.add_argument("preset", nargs="?", default=PRESET, help=f"whose models (default: {PRESET})")
    evaluation.add_argument(
        "--lengths",
        type=positive,
        nargs="+",
        default=list(LENGTHS),
        metavar="A",
        help="attention lengths (default: 64 to 3,800)",
    )
    evaluation.add_argument("--rounds", type=positive, default=ROUNDS, help=f"of both models in turn (default: {ROUNDS})")
    evaluation.add_argument("--checkpoints", type=Path, default=CHECKPOINTS, help="the folder that holds the presets")
    evaluation.add_argument("--json", action="store_true", help="print one JSON object and nothing else")
    evaluation.set_defaults(run=run)


def run(args: argparse.Namespace) -> None:
    """Measures with one thread, writes the record beside the checkpoints, and prints the points."""
    torch.set_num_threads(1)
    folder = args.checkpoints / args.preset
    pair = {kind: checkpoints.load(folder / kind) for kind in ("xl", "vanilla")}
    values = {"preset": args.preset, **evaluation_cost(pair["xl"], pair["vanilla"], args.lengths, args.rounds)}
    path = folder / FILE
    recorded.write(path, values, {kind: source.weights_hash for kind, source in pair.items()})
    if args.json:
        print(json.dumps({"file": str(path), **values}))
        return
    print(f"{'attention':>9} {'XL, ms a token':>15} {'vanilla, ms':>12} {'times':>8} {'times by FLOPs':>15}")
    for one in values["points"]:
        times, flops = one["vanilla_seconds"] / one["xl_seconds"], one["vanilla_flops"] / one["xl_flops"]
        numbers = f"{1e3 * one['xl_seconds']:15.4f} {1e3 * one['vanilla_seconds']:12.2f} {times:8,.0f} {flops:15,.0f}"
        print(f"{one['attention_length']:9} {numbers}")
    print(f"written: {path}")


def evaluation_cost(xl: Checkpoint, vanilla: Checkpoint, lengths: Sequence[int], rounds: int) -> dict[str, Any]:
    """A point for each attention length, and what the time goes into at the longest."""
    wanted, before = sorted(set(lengths)), load()
    points = [measure(xl, vanilla, length, rounds) for length in tqdm(wanted, unit="length", leave=False)]
    return {
        "machine": machine(),
        "load": before,
        "segment_length": SEGMENT_LENGTH,
        "rounds": rounds,
        "points": [row(xl, vanilla, point) for point in points],
        "shares": {
            kind: {part: round(share, 3) for part, share in shares.items()}
            for kind, shares in time_shares(xl, vanilla, wanted[-1]).items()
        },
    }


def row(xl: Checkpoint, vanilla: Checkpoint, point: SpeedPoint) -> dict[str, Any]:
    """A point as it is recorded, with the FLOPs beside the clock."""
    A = point.attention_length
    seconds = ("xl_seconds", "vanilla_seconds", "xl_processor_seconds", "vanilla_processor_seconds")
    return {
        "attention_length": A,
        **{name: float(f"{getattr(point, name):.4g}") for name in seconds},
        "xl_flops": round(cached_flops(xl.config, A)),
        "vanilla_flops": window_flops(vanilla.config, A),
        "vanilla_flops_dense": window_flops(vanilla.config, A, causal=False),
    }
