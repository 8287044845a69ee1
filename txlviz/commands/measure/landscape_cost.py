"""``python -m txlviz measure landscape-cost [PRESET]``: time and memory of one layer of every attention and position system."""

from __future__ import annotations

import argparse
import dataclasses
from collections.abc import Iterator, Mapping
from typing import Any

from tqdm import tqdm

from txlviz import recorded
from txlviz.analysis.system_timing import SystemPoint, position_point, system_point
from txlviz.commands import pair
from txlviz.commands.arguments import positive
from txlviz.commands.machine import machine
from txlviz.models.attentions import SYSTEMS, Settings
from txlviz.models.encodings import ENCODINGS
from txlviz.recorded import significant

PRESET, FILE = "wikitext2-2l", "landscape/cost.json"
SHORTEST, LONGEST = 64, 8192


def add_parser(kinds: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Describes the command's options."""
    parser = kinds.add_parser(
        "landscape-cost",
        help="time and memory of one layer of every attention and position system",
        description="Runs one layer of each system over texts of 64 tokens and more, twice as many each time. The longest, of "
        f"{LONGEST:,} tokens, needs about 6 GB of memory where scores are written out.",
    )
    pair.add_options(parser, PRESET)
    parser.add_argument("--longest", type=positive, default=LONGEST, help=f"tokens of the longest text (default: {LONGEST:,})")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> None:
    """Measures with one thread, writes the record, and prints the points."""
    models = pair.load(args)
    values = {"preset": args.preset, **measure(models, args.longest)}
    path = args.checkpoints / FILE
    recorded.write(path, values, pair.weights(models), __name__)
    pair.report(args, [path], values, _lines(values))


def measure(models: pair.Pair, longest: int, settings: Settings | None = None) -> dict[str, Any]:
    """Points of every system at 64, 128, … tokens, with the scores written out and by the fused kernel."""
    settings = settings or Settings()
    xl, vanilla = models["xl"], models["vanilla"]
    lengths = [2**power for power in range(SHORTEST.bit_length() - 1, longest.bit_length())]
    system_point(xl, vanilla, "full", SHORTEST, settings)  # what is loaded at first use
    points: dict[str, list[dict[str, Any]]] = {"attention": [], "position": []}
    for n, fused in tqdm([(n, fused) for n in lengths for fused in (False, True)], unit="length", leave=False):
        points["attention"] += [_rounded(system_point(xl, vanilla, name, n, settings, fused=fused)) for name in SYSTEMS]
        # Shaw's needs the weights: for it there is no kernel that doesn't write them out
        encodings = [name for name, encoding in ENCODINGS.items() if not (fused and encoding.adds_values)]
        points["position"] += [_rounded(position_point(vanilla.config, name, n, fused=fused)) for name in encodings]
    sizes = {name: getattr(vanilla.config, name) for name in ("n_heads", "d_model", "d_head")}
    return {"machine": machine(), "sizes": sizes, "settings": dataclasses.asdict(settings), **points}


def _rounded(point: SystemPoint) -> dict[str, Any]:
    return {**dataclasses.asdict(point), "seconds": significant(point.seconds, 4)}


def _lines(values: Mapping[str, Any]) -> Iterator[str]:
    yield f"{'system':18} {'tokens':>7} {'milliseconds':>13} {'megabytes':>10}   of one layer"
    for one in (*values["attention"], *values["position"]):
        kernel = "fused" if one["fused"] else "written out"
        yield f"{one['name']:18} {one['n_tokens']:7} {1e3 * one['seconds']:13.2f} {one['peak_bytes'] / 1e6:10.2f}   {kernel}"
