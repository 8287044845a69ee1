"""``python -m txlviz measure echo [models] [grid] [relay]``: trains the models of the echo test, and records its grid."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path

import torch
from tqdm import tqdm

from txlviz import recorded
from txlviz.checkpoint import CHECKPOINTS
from txlviz.commands import pair
from txlviz.commands.kept_runs import Made, each, kept
from txlviz.tasks import grid, record, relay, shipped

FOLDER = "tasks/echo"
PARTS = ("models", "grid", "relay")


def add_parser(kinds: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Describes the command's options."""
    parser = kinds.add_parser(
        "echo",
        help="train the models of the echo test, its grid over D and training M, and the relay runs",
        description="Makes the shipped models of the echo test (models), the grid over D and training M (grid) and the relay "
        "experiment (relay), and writes the record. Runs that stand in --run-dir already are not made again.",
    )
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"which to make: {', '.join(PARTS)} (default: all)")
    parser.add_argument("--checkpoints", type=Path, default=CHECKPOINTS, help="the folder that holds tasks/echo")
    parser.add_argument("--run-dir", type=Path, default=Path("runs/echo"), help="where each run is kept as it ends")
    parser.add_argument("--data-dir", type=Path, help=argparse.SUPPRESS)  # as the other measurements have it; none is read
    parser.add_argument("--json", action="store_true", help="print one JSON object and nothing else")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> None:
    """Makes what is asked for, then writes the record of all that the run folder holds."""
    torch.set_num_threads(1)  # small models: the figures of one thread, whatever the machine
    parts, folder = pair.parts(args, PARTS), args.checkpoints / FOLDER
    if "models" in parts:
        for name in tqdm(shipped.SHIPPED, desc="models", file=sys.stderr):
            model, card = shipped.make(name)
            shipped.save(folder / name, model, card)
    if "grid" in parts:
        each(args.run_dir / "grid", grid.cells(), lambda at: grid.train_cell(*at))
    if "relay" in parts:
        each(args.run_dir / "relay", relay.runs(), lambda at: relay.train_run(*at))
    experiments = (kept(args.run_dir / part) for part in ("grid", "relay"))
    path = write(folder, *experiments, partly=set(parts) != set(PARTS))
    read = record.from_values(recorded.read(path, _weights(folder)))
    tried = [cell for cell in read.cells if cell.learned is not None]
    report = {
        "file": str(path),
        "cells": len(read.cells),
        "learned": f"{sum(cell.learned is True for cell in tried)} of {len(tried)} that could",
        "relay": {
            f"k={k} M={m}": f"{sum(one.learned for one in runs)} of {len(runs)}"
            for k, m in sorted({(one.gradient_segments, one.memory) for one in read.relay})
            if (runs := [one for one in read.relay if (one.gradient_segments, one.memory) == (k, m)])
        },
    }
    if args.json:
        print(json.dumps(report))
        return
    for name, value in report.items():
        print(f"{name:10} {value}")


def write(folder: Path, cells: Sequence[Made], runs: Sequence[Made], *, partly: bool) -> Path:
    """Writes the record. What the shipped models are, they stand for in the grid. ``partly`` as ``recorded.write`` has it."""
    own = {grid.place(cell): cell for cell in (grid.shipped_cell(name, folder) for name in shipped.SHIPPED)}
    full = [own.pop(grid.place(cell), cell) for cell in cells] + list(own.values())
    path = folder / record.FILE
    recorded.write(path, record.to_values(grid.SAMPLES, full, runs), _weights(folder), __name__, partly=partly)
    return path


def _weights(folder: Path) -> dict[str, str]:
    """The shipped pair's: a record belongs to it."""
    return {kind: str(shipped.weights_hash(kind, folder)) for kind in ("xl", "vanilla")}
