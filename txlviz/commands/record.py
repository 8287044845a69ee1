"""``python -m txlviz record start [--preset PRESET]``: what pages show from recorded results is measured and written anew."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from txlviz import checkpoint as checkpoints
from txlviz.analysis import story, story_file
from txlviz.checkpoint import CHECKPOINTS
from txlviz.content import sections

PRESET = "wikitext2-4l"


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Describes the command's options."""
    parser = commands.add_parser("record", help="measure anew what a page shows from recorded results")
    parser.add_argument("what", choices=["start"], help="start: the story of the Start page")
    parser.add_argument("--preset", default=PRESET, help=f"whose models (default: {PRESET})")
    parser.add_argument("--checkpoints", type=Path, default=CHECKPOINTS, help="the folder that holds the presets")
    parser.add_argument("--json", action="store_true", help="print one JSON object and nothing else")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> None:
    """Measures all candidates, writes the record beside the checkpoints, and reports how each came out."""
    folder = args.checkpoints / args.preset
    xl, vanilla = (checkpoints.load(folder / kind) for kind in ("xl", "vanilla"))
    made = story.record(xl, vanilla, sections("stories"))
    path = folder / story_file.FILE
    story_file.write(made, path, __name__)
    if args.json:
        print(json.dumps({"file": str(path), "picked": made.picked, "cases": [_case(one) for one in made.stories]}))
        return
    heads = " ".join(f"{head:>9}" for head in ("vanilla", *(f"XL {m}" for m in story.MEMORY_LENGTHS)))
    print(f"{'name':10} {heads}   change  clearness")
    for one in made.stories:
        chances = " ".join(f"{100 * reading.probability:8.2g}%" for reading in (one.vanilla, *one.xl.values()))
        change = one.xl[max(one.xl)].changes[0]
        print(
            f"{one.name:10} {chances} {change:8.2f} {100 * one.clearness:9.3f}%{'  picked' if one.name == made.picked else ''}"
        )
    print(f"written: {path}")


def _case(one: story.Story) -> dict[str, object]:
    """One candidate in short."""
    return {
        "name": one.name,
        "vanilla": one.vanilla.probability,
        "xl": {str(m): reading.probability for m, reading in one.xl.items()},
        "change": one.xl[max(one.xl)].changes[0],
        "clearness": one.clearness,
    }
