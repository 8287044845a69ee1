"""``python -m txlviz measure prompts [PRESET]``: the prompt library, with the mentions and with others."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from tqdm import tqdm

from txlviz.analysis.prompts import Finding, measure, parse
from txlviz.commands import pair
from txlviz.content import sections

PRESET, FILE = "wikitext2-4l", "prompts.json"


def add_parser(kinds: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Describes the command's options."""
    parser = kinds.add_parser("prompts", help="the prompt library: is the right word likelier where it was mentioned?")
    pair.add_options(parser, PRESET)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> None:
    """Runs all texts, writes the record beside the checkpoints, and prints the probabilities."""
    models = pair.load(args)
    prompts = tqdm(parse(sections("prompts")), unit="text", leave=False)
    values = {
        "preset": args.preset,
        "texts": [row(measure(models["xl"], models["vanilla"], prompt)) for prompt in prompts],
    }
    pair.record(args, FILE, models, values, _lines(values["texts"]), __name__)


def _lines(texts: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    yield "the right word, in per cent: with the mention / with another in its place"
    yield f"{'text':28} {'tokens back':>11} " + " ".join(f"{name:>15}" for name in texts[0]["chances"])
    for one in texts:
        shown = (f"{100 * mentioned:7.3f}/{100 * other:7.3f}" for mentioned, other in one["chances"].values())
        yield f"{one['name']:28} {one['distance']:11} " + " ".join(shown)


def row(finding: Finding) -> dict[str, Any]:
    """A finding as it is recorded; the text stands in the library."""
    # not rounded, so that "exactly equal" is seen to be so
    chances = {name: [chance.mentioned, chance.replaced] for name, chance in finding.chances.items()}
    return {"name": finding.prompt.name, "distance": finding.distance, "chances": chances}
