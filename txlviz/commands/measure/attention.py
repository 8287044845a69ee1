"""``python -m txlviz measure attention [PRESET]``: time and memory of one attention layer against the length of the text."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from tqdm import tqdm

from txlviz.analysis.attention_timing import WAYS, Point, attention_point
from txlviz.checkpoint import Checkpoint
from txlviz.commands import pair
from txlviz.commands.arguments import positive
from txlviz.commands.machine import machine
from txlviz.recorded import significant

PRESET, FILE = "wikitext2-4l", "attention.json"
LONGEST = 4096
_RUNS = 12  # the fastest counts: on a busy machine a few are needed


def add_parser(kinds: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Describes the command's options."""
    parser = kinds.add_parser("attention", help="time and memory of one attention layer: whole, in segments, with a memory")
    pair.add_options(parser, PRESET)
    parser.add_argument("--longest", type=positive, default=LONGEST, help=f"tokens of the longest text (default: {LONGEST:,})")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> None:
    """Measures with one thread, writes the record beside the checkpoints, and prints the points."""
    models = pair.load(args)
    values = {"preset": args.preset, **measure(models["xl"], models["vanilla"], args.longest)}
    pair.record(args, FILE, models, values, _lines(values["points"]), __name__)


def _lines(points: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    yield f"{'way':10} {'tokens':>7} {'milliseconds':>13} {'megabytes':>10}"
    for one in points:
        yield f"{one['way']:10} {one['n_tokens']:7} {1e3 * one['seconds']:13.2f} {one['peak_bytes'] / 1e6:10.2f}"


def measure(xl: Checkpoint, vanilla: Checkpoint, longest: int) -> dict[str, Any]:
    """Points of all ways at 64, 128, … tokens, with L as trained and M from the card."""
    L, M = vanilla.config.segment_length, xl.config.mem_len
    lengths = [2**power for power in range(6, longest.bit_length()) if 2**power <= longest]
    tasks = [(way, n) for n in lengths for way in WAYS]
    points = [
        attention_point(xl, vanilla, way, n, L, M, repeats=_RUNS, at_least=_RUNS)
        for way, n in tqdm(tasks, unit="point", leave=False)
    ]
    return {
        "machine": machine(),
        "segment_length": L,
        "memory_length": M,
        "points": [_rounded(point) for point in points],
    }


def _rounded(point: Point) -> dict[str, Any]:
    return {
        "way": point.way,
        "n_tokens": point.n_tokens,
        "seconds": significant(point.seconds, 4),
        "peak_bytes": point.peak_bytes,
    }
