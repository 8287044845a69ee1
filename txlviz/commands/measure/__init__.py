"""``python -m txlviz measure WHAT``: measurements too long for a page are made here, and recorded beside the checkpoints."""

from __future__ import annotations

import argparse
from types import ModuleType

from txlviz.commands.measure import (
    attention,
    card,
    context,
    echo,
    everything,
    landscape,
    landscape_cost,
    length,
    linformer,
    position,
    prompts,
    readme,
    study,
)

MEASUREMENTS: tuple[ModuleType, ...] = (
    attention,
    card,
    context,
    echo,
    everything,
    landscape,
    landscape_cost,
    length,
    linformer,
    position,
    prompts,
    readme,
    study,
)
"""One module each, with ``add_parser(kinds)`` and ``run(args)``."""


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Describes the command's options."""
    parser = commands.add_parser("measure", help="measure what a page shows as recorded, and write it beside the checkpoints")
    kinds = parser.add_subparsers(metavar="WHAT", required=True)
    for measurement in MEASUREMENTS:
        measurement.add_parser(kinds)
