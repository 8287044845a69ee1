"""``python -m txlviz measure linformer [PRESET] [lookup] [rank]``: does Linformer's quality fall on long text?"""

from __future__ import annotations

import argparse
import dataclasses
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import torch
from tqdm import tqdm

from txlviz import recorded
from txlviz.analysis.low_rank import lost_in
from txlviz.checkpoint import Checkpoint
from txlviz.commands import pair
from txlviz.commands.arguments import positive
from txlviz.commands.kept_runs import Made, each, kept
from txlviz.commands.machine import machine
from txlviz.data import load_split
from txlviz.data.corpus import SplitName
from txlviz.recorded import significant
from txlviz.tasks.lookup import CHANCE, LookupSettings, train

PRESET, FILE = "wikitext2-2l", "landscape/linformer.json"
PARTS = ("lookup", "rank")
SEEDS = (0, 1, 2)
RUNS = tuple((name, rank, seed) for seed in SEEDS for name, rank in (("full", 0), ("linformer", 32), ("linformer", 128)))
"""System, k and seed of the runs on the lookup task; k is 0 where there is none."""
LENGTHS, RANKS, TEXTS = (64, 128, 256, 512), (16, 32, 64, 128), 8
SPLIT: SplitName = "valid"


def add_parser(kinds: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Describes the command's options."""
    parser = kinds.add_parser(
        "linformer",
        help="does Linformer's quality fall on long text: a lookup task, and the rank of trained attention",
        description="Trains small models with full attention and with Linformer's on texts of 32 to 512 tokens in which each "
        "place asks for one other, until their held-out loss is flat (lookup), and takes the singular values of the trained "
        "Transformer-XL's attention on real text (rank). Runs that stand in --run-dir already are not made again.",
    )
    pair.add_options(parser, PRESET, corpus=True)
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"which to make: {', '.join(PARTS)} (default: all)")
    parser.add_argument("--run-dir", type=Path, default=Path("runs/lookup"), help="where each run is kept as it ends")
    parser.add_argument("--steps", type=positive, help="at most so many optimizer steps for each length, in a quick trial")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> None:
    """Makes what is asked for with one thread, and writes the record; parts that aren't asked for stay as they were."""
    parts = pair.parts(args, PARTS)
    models = pair.load(args)
    path = args.checkpoints / FILE
    values = {"preset": args.preset, "machine": machine(), **pair.before(path, models)}
    if "lookup" in parts:
        each(args.run_dir, RUNS, lambda at: lookup(*at, steps=args.steps))
        settings = dataclasses.asdict(LookupSettings())
        shared = {name: value for name, value in settings.items() if name not in ("rank", "seed")}
        values["lookup"] = {"settings": shared, "chance": CHANCE, "runs": kept(args.run_dir)}
    if "rank" in parts:
        values["rank"] = ranks(models["xl"], load_split(SPLIT, args.data_dir).text)
    recorded.write(path, values, pair.weights(models), __name__, partly=set(parts) != set(PARTS))
    pair.report(args, [path], values, _lines(values))


def lookup(system: str, k: int, seed: int, *, steps: int | None = None) -> Made:
    """Trains one model, and says what it can do after each length."""
    settings = LookupSettings(rank=k or None, seed=seed)
    if steps:
        settings = dataclasses.replace(settings, at_most=steps, last_steps=1)
    stages = []
    for stage in tqdm(train(settings), unit="step", leave=False, file=sys.stderr):
        if stage is not None:
            stages.append(
                {**dataclasses.asdict(stage), "loss": significant(stage.loss), "accuracy": significant(stage.accuracy)}
            )
    return {"system": system, "rank": k or None, "seed": seed, "stages": stages}


def ranks(xl: Checkpoint, text: str) -> dict[str, Any]:
    """What the best products of rank k miss of the Transformer-XL's attention, on texts of n tokens read in one piece.

    ValueError where the text is too short.
    """
    ids, longest = torch.tensor(xl.inputs(text)), max(LENGTHS)
    if len(ids) < TEXTS * longest:
        raise ValueError(f"the text has {len(ids):,} tokens; {TEXTS * longest:,} are needed")
    starts = np.linspace(0, len(ids) - longest, TEXTS).astype(int)
    found = []
    for n in tqdm(LENGTHS, unit="length", leave=False, file=sys.stderr):
        texts = torch.stack([ids[start : start + n] for start in starts])
        found.append(np.mean(list(lost_in(xl.model, texts, RANKS)), axis=0))
    shares = np.stack(found)  # (length, rank, N, H)
    return {
        "split": SPLIT,
        "texts": TEXTS,
        "lengths": list(LENGTHS),
        "ranks": list(RANKS),
        "lost": _rounded(shares.mean(axis=(2, 3))),
        "lost_by_head": _rounded(shares[:, RANKS.index(32)]),
    }


def _rounded(shares: Any) -> Any:
    return [significant(one) for one in shares] if shares.ndim == 1 else [_rounded(part) for part in shares]


def _lines(values: Mapping[str, Any]) -> Iterator[str]:
    for one in values.get("lookup", {}).get("runs", ()):
        rank = "" if one["rank"] is None else f" k={one['rank']}"
        yield f"{one['system'] + rank:18} seed {one['seed']}  " + "  ".join(
            f"n={stage['n']}: {100 * stage['accuracy']:5.1f} %" + ("" if stage.get("converged") else " (not flat)")
            for stage in one["stages"]
        )
    if "rank" in values:
        for n, row in zip(values["rank"]["lengths"], values["rank"]["lost"], strict=True):
            shares = zip(values["rank"]["ranks"], row, strict=True)
            yield f"attention over {n:4} tokens  " + "  ".join(
                f"lost beyond k={k}: {100 * share:5.2f} %" for k, share in shares
            )
