"""What the commands that measure a preset's pair of models have in common: options, models, and the record in the end."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import torch

from txlviz import checkpoint as checkpoints
from txlviz import recorded
from txlviz.checkpoint import CHECKPOINTS, Checkpoint
from txlviz.commands.arguments import positive

Pair = Mapping[str, Checkpoint]
"""``xl`` and ``vanilla``."""


def add_options(parser: argparse.ArgumentParser, preset: str, *, corpus: bool = False, threads: bool = False) -> None:
    """The preset, where its checkpoints and the corpus are, the threads, and ``--json``.

    Without ``threads`` there is no option: such a command measures with one.
    """
    parser.add_argument("preset", nargs="?", default=preset, help=f"whose models (default: {preset})")
    if corpus:
        parser.add_argument("--data-dir", type=Path, help="folder with wiki.{train,valid,test}.tokens (default: the hub)")
    else:
        parser.add_argument("--data-dir", help=argparse.SUPPRESS)  # as the other measurements have it; none is read
    if threads:
        parser.add_argument("--threads", type=positive, default=1, help="threads of the processor (1: the models are small)")
    parser.add_argument("--checkpoints", type=Path, default=CHECKPOINTS, help="the folder that holds the presets")
    parser.add_argument("--json", action="store_true", help="print one JSON object and nothing else")


def load(args: argparse.Namespace) -> Pair:
    """Both models of the preset, and torch set to the threads that were asked for."""
    torch.set_num_threads(getattr(args, "threads", 1))
    return {kind: checkpoints.load(args.checkpoints / args.preset / kind) for kind in ("xl", "vanilla")}


def weights(pair: Pair) -> dict[str, str]:
    """The SHA-256 of each model's weights, as records hold them."""
    return {kind: source.weights_hash for kind, source in pair.items()}


def parts(args: argparse.Namespace, known: Sequence[str]) -> Sequence[str]:
    """The parts of a measurement that were asked for, all where none was named. ValueError for one that isn't ``known``."""
    if unknown := set(args.parts) - set(known):
        raise ValueError(f"there is no part {sorted(unknown)[0]!r}: choose from {', '.join(known)}")
    return args.parts or known


def before(path: Path, pair: Pair) -> dict[str, Any]:
    """What stands in a record, if it is of the same weights: parts that aren't made anew stay as they are."""
    try:
        return recorded.read(path, weights(pair))
    except recorded.RecordError:
        return {}


def record(
    args: argparse.Namespace,
    file: str,
    pair: Pair,
    values: Mapping[str, Any],
    lines: Iterable[str],
    by: str,
    *,
    partly: bool = False,
) -> None:
    """Writes ``values`` beside the checkpoints as ``file``, and reports them: as JSON, or as ``lines``.

    ``by`` and ``partly`` as ``recorded.write`` has them.
    """
    path = args.checkpoints / args.preset / file
    recorded.write(path, values, weights(pair), by, partly=partly)
    report(args, [path], values, lines)


def report(args: argparse.Namespace, paths: list[Path], values: Mapping[str, Any], lines: Iterable[str]) -> None:
    """Prints what stands in the files that were written, the first of which holds ``values``."""
    if args.json:
        print(json.dumps({"file": str(paths[0]), **values}))
        return
    for line in lines:
        print(line)
    print(f"written: {', '.join(str(path) for path in paths)}")
