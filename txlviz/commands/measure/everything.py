"""``python -m txlviz measure all``: everything that is recorded and stale, one record after the other."""

from __future__ import annotations

import argparse
import time
from pathlib import Path

from txlviz.checkpoint import CHECKPOINTS
from txlviz.claims.inputs import PRESETS
from txlviz.commands import other
from txlviz.commands.measure.plan import PLAN, Record
from txlviz.commands.measure.readme import README, renewed
from txlviz.commands.measure.stale import accept, mismatch, stale
from txlviz.source_digest import digest


def add_parser(kinds: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Describes the command's options."""
    parser = kinds.add_parser(
        "all",
        help="measure all records anew that are stale: of other weights, by other code, or from other records",
        description="Looks at every record in turn, prints whether it is fresh, and measures it anew if it is stale. Each is "
        "written as soon as it is measured, so a command that was stopped goes on where it was.",
    )
    parser.add_argument("--data-dir", type=Path, help="folder with wiki.{train,valid,test}.tokens (default: the hub)")
    parser.add_argument("--checkpoints", type=Path, default=CHECKPOINTS, help="the folder that holds the presets")
    parser.add_argument("--preset", choices=list(PRESETS.values()), help="only records beside this preset's checkpoints")
    parser.add_argument("--train", action="store_true", help="also the records that small models are trained for: hours")
    how = parser.add_mutually_exclusive_group()
    how.add_argument("--dry-run", action="store_true", help="say what is stale and why, and measure nothing")
    how.add_argument(
        "--accept-code",
        action="store_true",
        help="measure nothing, and mark records of these weights as measured by today's code and from today's records: for a "
        "change that can't alter a number",
    )
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> None:
    """Goes through the plan. ValueError in the end if a record couldn't be measured; those that don't need it were."""
    failed: list[str] = []
    pending: set[str] = set()  # stale still: what is made from them waits
    for record in PLAN:
        if args.preset is not None and not record.path.startswith(f"{args.preset}/"):
            continue
        reason = stale(record, args.checkpoints)
        waits = [one for one in record.made_from if one in pending]
        if reason is None and not waits:
            said = "fresh"
        elif args.accept_code:
            said = _accepted(record, args.checkpoints)
        elif record.trains and not args.train:
            said = f"stale: {reason}; it takes training: --train"
        elif args.dry_run:
            said = f"stale: {reason or f'made from {waits[0]}, which is stale'}"
            pending.add(record.path)
        elif waits:
            said = f"left out: it is made from {waits[0]}"
            pending.add(record.path)
        else:
            said = _measured(record, reason or "", args)
            if said.startswith("failed"):
                failed.append(record.path)
                pending.add(record.path)
        print(f"{record.path:32} {said}", flush=True)
    if args.checkpoints == CHECKPOINTS:
        print(f"{README.name:32} {_readme(write=not args.dry_run)}")
    if failed:
        raise ValueError(f"not measured: {', '.join(failed)}")


def _readme(*, write: bool) -> str:
    """Writes the README's numbers anew, where they aren't the records' any more, or only says so."""
    before = README.read_text(encoding="utf-8")
    after = renewed(before, CHECKPOINTS)
    if after == before:
        return "fresh"
    if write:
        README.write_text(after, encoding="utf-8")
    return "done" if write else "stale: the records say other numbers"


def _accepted(record: Record, folder: Path) -> str:
    if reason := mismatch(record, folder):
        return f"stale: {reason}"
    accept(record, folder)
    return "accepted as today's"


def _measured(record: Record, reason: str, args: argparse.Namespace) -> str:
    """Runs the record's command; says how it went."""
    # What a stopped command kept is of use to the same code only.
    kept = f" --run-dir runs/{record.runs}/{digest(record.by)[:12]}" if record.runs else ""
    start = time.perf_counter()
    if not other.succeeds(record.command + kept, args.checkpoints, args.data_dir if record.corpus else None):
        return f"failed; stale: {reason}"
    if record.made_from:
        accept(record, args.checkpoints)
    if left := stale(record, args.checkpoints):
        return f"failed: its command ended well, but {left}"
    return f"done in {time.perf_counter() - start:,.0f} s; it was stale: {reason}"
