"""``python -m txlviz measure prompts [PRESET]``: the prompt library, with the mentions and with others."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import torch
from tqdm import tqdm

from txlviz import checkpoint as checkpoints
from txlviz import recorded
from txlviz.analysis.prompts import Finding, measure, parse
from txlviz.content import sections

PRESET, FILE = "wikitext2-4l", "prompts.json"
CHECKPOINTS = Path(__file__).parents[3] / "checkpoints"


def add_parser(kinds: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Describes the command's options."""
    parser = kinds.add_parser("prompts", help="the prompt library: is the right word likelier where it was mentioned?")
    parser.add_argument("preset", nargs="?", default=PRESET, help=f"whose models (default: {PRESET})")
    parser.add_argument("--checkpoints", type=Path, default=CHECKPOINTS, help="the folder that holds the presets")
    parser.add_argument("--json", action="store_true", help="print one JSON object and nothing else")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> None:
    """Runs all texts, writes the record beside the checkpoints, and prints the probabilities."""
    torch.set_num_threads(1)
    folder = args.checkpoints / args.preset
    pair = {kind: checkpoints.load(folder / kind) for kind in ("xl", "vanilla")}
    prompts = tqdm(parse(sections("prompts")), unit="text", leave=False)
    values = {
        "preset": args.preset,
        "texts": [row(measure(pair["xl"], pair["vanilla"], prompt)) for prompt in prompts],
    }
    path = folder / FILE
    recorded.write(path, values, {kind: source.weights_hash for kind, source in pair.items()})
    if args.json:
        print(json.dumps({"file": str(path), **values}))
        return
    names = list(values["texts"][0]["chances"])
    print("the right word, in per cent: with the mention / with another in its place")
    print(f"{'text':28} {'tokens back':>11} " + " ".join(f"{name:>15}" for name in names))
    for one in values["texts"]:
        shown = (f"{100 * mentioned:7.3f}/{100 * other:7.3f}" for mentioned, other in one["chances"].values())
        print(f"{one['name']:28} {one['distance']:11} " + " ".join(shown))
    print(f"written: {path}")


def row(finding: Finding) -> dict[str, Any]:
    """A finding as it is recorded; the text stands in the library."""
    # not rounded, so that "exactly equal" is seen to be so
    chances = {name: [chance.mentioned, chance.replaced] for name, chance in finding.chances.items()}
    return {"name": finding.prompt.name, "distance": finding.distance, "chances": chances}
