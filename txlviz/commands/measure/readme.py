"""``python -m txlviz measure readme``: the README's measured numbers, written anew from the records."""

from __future__ import annotations

import argparse
from pathlib import Path

from txlviz.checkpoint import CHECKPOINTS
from txlviz.commands.measure.readme_tables import Records, measured

ROOT = Path(__file__).parents[3]
README, BENCHMARKS = ROOT / "README.md", ROOT / "benchmarks/recorded.json"
BEGIN, END = "<!-- measured: begin -->", "<!-- measured: end -->"


def add_parser(kinds: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Describes the command's options."""
    parser = kinds.add_parser("readme", help="write the README's measured numbers anew from the records")
    parser.add_argument("--checkpoints", type=Path, default=CHECKPOINTS, help="the folder that holds the presets")
    parser.add_argument("--readme", type=Path, default=README, help="the file to write into")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> None:
    """Writes what stands between the marks. ValueError where the marks or a record's field are missing."""
    before = args.readme.read_text(encoding="utf-8")
    after = renewed(before, args.checkpoints)
    if after != before:
        args.readme.write_text(after, encoding="utf-8")
    print(f"{args.readme}: {'as it was' if after == before else 'written'}")


def renewed(text: str, checkpoints: Path) -> str:
    """A README with what the records say now between its marks."""
    head, begin, rest = text.partition(BEGIN)
    _, end, tail = rest.partition(END)
    if not (begin and end):
        raise ValueError(f"the README has no {BEGIN} and {END}")
    try:
        return f"{head}{BEGIN}\n{measured(Records(checkpoints, BENCHMARKS))}\n{END}{tail}"
    except KeyError as error:
        raise ValueError(f"a record that the README shows is incomplete: it has no {error}") from error
