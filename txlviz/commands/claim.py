"""``python -m txlviz claim N``: measures a claim of the page *Claims, checked* anew, beside what is recorded."""

from __future__ import annotations

import argparse
import json
import sys
import textwrap
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import torch

from txlviz.checkpoint import CHECKPOINTS
from txlviz.claims import CLAIMS, Claim, Inputs, Measured, measured, record, said
from txlviz.commands import other
from txlviz.recorded import RecordError

_WIDTH = 100
_COLUMNS = {"2l": "2 layers", "4l": "4 layers", "value": ""}


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Describes the command's options."""
    parser = commands.add_parser(
        "claim",
        help="measure a claim about Transformer-XL anew, and judge it",
        description="Computes the numbers of a claim from the models, prints them beside the recorded ones, and the verdict.",
    )
    parser.add_argument("claims", nargs="+", metavar="N", help=f"numbers from 1 to {max(CLAIMS)}, or all")
    parser.add_argument("--data-dir", type=Path, help="folder with wiki.{train,valid,test}.tokens (default: the hub)")
    parser.add_argument("--record", action="store_true", help="write the numbers into the record, which the page shows")
    parser.add_argument(
        "--anew",
        "--train",
        action="store_true",
        help="first run the commands that make the records which the claim reads, trainings as well: may take an hour or more",
    )
    parser.add_argument("--checkpoints", type=Path, default=CHECKPOINTS, help="the folder that holds the presets")
    parser.add_argument("--json", action="store_true", help="print one JSON object and nothing else")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> None:
    """Measures with one thread, one claim after the other. A mistaken number ends in a sentence."""
    torch.set_num_threads(1)
    claims = _chosen(args.claims)
    if args.anew:
        for command in dict.fromkeys(command for claim in claims for command in claim.made_by):
            if not other.succeeds(command, args.checkpoints, args.data_dir):
                raise ValueError(f"“{command}” failed, so the claim isn't measured")
    inputs = Inputs(args.checkpoints, args.data_dir)
    try:
        before = record.read(args.checkpoints)
    except RecordError as error:
        print(error, file=sys.stderr)
        before = {}
    found = {}
    for claim in claims:
        found[claim.number] = measured(claim, inputs)
        if args.record:
            record.update(args.checkpoints, {claim.number: found[claim.number].numbers})
        if not args.json:
            print("\n".join(_lines(claim, found[claim.number], before.get(claim.number, {}))), flush=True)
    if args.json:
        print(json.dumps({str(number): {"verdict": one.verdict, "numbers": one.numbers} for number, one in found.items()}))


def _chosen(names: list[str]) -> list[Claim]:
    if names == ["all"]:
        return list(CLAIMS.values())
    for name in names:
        if not (name.isascii() and name.isdigit() and int(name) in CLAIMS):
            raise ValueError(f"there is no claim {name!r}: they are numbered from 1 to {max(CLAIMS)}; or say all")
    return [CLAIMS[int(name)] for name in names]


def _lines(claim: Claim, found: Measured, before: Mapping[str, Any]) -> Iterator[str]:
    """The claim, its numbers now and as recorded, the rule and the verdict."""
    yield f"\nClaim {claim.number}. {said.sentence(claim.number)}"
    recorded_rows = dict(said.rows(claim.number, before)) if before else {}
    for meaning, values in said.rows(claim.number, found.numbers):
        yield f"  {_plain(meaning)}"
        for column, value in values.items():
            was = recorded_rows.get(meaning, {}).get(column)
            name = _COLUMNS.get(column, column)
            yield f"    {name:18} {_value(value)}" + (f"    recorded: {_value(was)}" if before else "")
    if claim.quoted:
        yield "  These are the paper's own figures: nothing is measured."
    if claim.history:
        yield "  These are facts from the sources that the page names: nothing is measured."
    for title, commands in (("Reads records, made by", claim.made_by), ("Trained by", claim.trained_by)):
        if commands:
            yield f"  {title}:"
            yield from (f"    python -m txlviz {command}" for command in commands)
    yield from textwrap.wrap(f"Rule: {_plain(said.rule(claim.number))}", _WIDTH, initial_indent="  ", subsequent_indent="  ")
    yield f"  Verdict: {found.verdict}{said.basis(claim.number)}"


def _plain(markdown: str) -> str:
    """Formulas without their signs."""
    return markdown.replace("$", "")


def _value(value: Any) -> str:
    if isinstance(value, list):
        return " ".join(_value(one) for one in value)
    return "–" if value is None else f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(value)
