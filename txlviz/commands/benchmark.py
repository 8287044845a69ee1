"""``python -m txlviz benchmark eval [PRESET]``: what evaluation costs by the clock, at attention lengths of 64 to 3,800."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from tqdm import tqdm

from txlviz.analysis import eval_record
from txlviz.analysis.eval_profile import time_shares
from txlviz.analysis.eval_speed import LENGTHS, SEGMENT_LENGTH, SpeedPoint, measure
from txlviz.analysis.flops import cached_flops, window_flops
from txlviz.checkpoint import Checkpoint
from txlviz.commands import pair
from txlviz.commands.arguments import positive
from txlviz.commands.machine import load, machine
from txlviz.recorded import significant

PRESET = "wikitext2-2l"
ROUNDS = 7


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Describes the command's options."""
    parser = commands.add_parser("benchmark", help="measure speed on this machine")
    kinds = parser.add_subparsers(metavar="WHAT", required=True)
    evaluation = kinds.add_parser(
        "eval", help="time and FLOPs for one scored token: the cached Transformer-XL, the vanilla sliding window"
    )
    pair.add_options(evaluation, PRESET)
    evaluation.add_argument(
        "--lengths",
        type=positive,
        nargs="+",
        default=list(LENGTHS),
        metavar="A",
        help="attention lengths (default: 64 to 3,800)",
    )
    evaluation.add_argument("--rounds", type=positive, default=ROUNDS, help=f"of both models in turn (default: {ROUNDS})")
    evaluation.set_defaults(run=run)


def run(args: argparse.Namespace) -> None:
    """Measures with one thread, writes the record beside the checkpoints, and prints the points."""
    models = pair.load(args)
    values = {"preset": args.preset, **evaluation_cost(models["xl"], models["vanilla"], args.lengths, args.rounds)}
    pair.record(args, eval_record.FILE, models, values, _lines(values["points"]), __name__)


def _lines(points: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    yield f"{'attention':>9} {'XL, ms a token':>15} {'vanilla, ms':>12} {'times':>8} {'times by FLOPs':>15}"
    for one in points:
        times, flops = eval_record.clock(one), eval_record.flops(one)
        numbers = f"{1e3 * one['xl_seconds']:15.4f} {1e3 * one['vanilla_seconds']:12.2f} {times:8,.0f} {flops:15,.0f}"
        yield f"{one['attention_length']:9} {numbers}"


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
    scored = min(A, SEGMENT_LENGTH)
    seconds = ("xl_seconds", "vanilla_seconds", "xl_processor_seconds", "vanilla_processor_seconds")
    return {
        "attention_length": A,
        **{name: significant(getattr(point, name), 4) for name in seconds},
        "xl_flops": round(cached_flops(xl.config, A)),
        "vanilla_flops": window_flops(vanilla.config, A),
        "vanilla_flops_dense": window_flops(vanilla.config, A, causal=False),
        "vanilla_segment_flops": round(window_flops(vanilla.config, A, scored=scored) / scored),
    }
