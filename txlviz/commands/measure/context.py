"""``python -m txlviz measure context [PRESET]``: the loss of each target given exactly c tokens, for both models."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from tqdm import tqdm

from txlviz.analysis import context_record, context_stream
from txlviz.checkpoint import Checkpoint
from txlviz.commands import pair
from txlviz.commands.arguments import positive
from txlviz.commands.pair import Pair
from txlviz.data import load_split
from txlviz.data.corpus import SplitName
from txlviz.models import TransformerXL

PRESET = "wikitext2-4l"
SPLIT: SplitName = "valid"


def add_parser(kinds: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Describes the command's options."""
    parser = kinds.add_parser(
        "context",
        help="loss given exactly c tokens of context, for c from 1 to 512",
        description="Scores the same targets in one pass over exactly c tokens by both models, and by the Transformer-XL in a "
        "stream too: segments of L, each with a memory of c - L rows, which know of older text.",
    )
    pair.add_options(parser, PRESET, corpus=True, threads=True)
    targets, apart = context_record.TARGETS, context_record.SPACING
    parser.add_argument(
        "--targets",
        type=positive,
        default=targets,
        help=f"tokens of {SPLIT} to predict, {apart} apart (default: {targets:,})",
    )
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> None:
    """Scores, writes both files of the record beside the checkpoints, and prints some of the means."""
    models = pair.load(args)
    text = load_split(SPLIT, args.data_dir).text
    facts, losses = measure(models, text, args.targets)
    values = {"preset": args.preset, "split": SPLIT, **facts}
    folder = args.checkpoints / args.preset
    context_record.write(folder, values, losses, pair.weights(models), __name__)
    pair.report(args, [folder / context_record.FACTS, folder / context_record.LOSSES], values, _lines(facts))


def _lines(facts: Mapping[str, Any]) -> Iterator[str]:
    yield f"{'c tokens':>8} {'Transformer-XL':>26} {'vanilla':>26}   nats a token, 95 %"
    for at, c in enumerate(facts["contexts"]):
        if c & (c - 1) == 0:
            ends = [
                f"{one['mean'][at]:8.4f} ({one['low'][at]:.4f} to {one['high'][at]:.4f})" for one in facts["curves"].values()
            ]
            yield f"{c:8} {ends[0]:>26} {ends[1]:>26}"
    for kind, one in facts["curves"].items():
        yield f"{kind}: no longer context lowers the mean by {facts['flat_tolerance']} nats from c = {one['flat']} on"
    stream = facts["recurrent"]
    for c, gain, low, high in zip(*(stream[name] for name in ("contexts", "gain", "gain_low", "gain_high")), strict=True):
        yield f"xl in a stream, c = {c}: {gain:.4f} ({low:.4f} to {high:.4f}) nats below one pass"
    yield f"xl in a stream: flat from c = {stream['flat']} on"


def measure(models: Pair, text: str, targets: int) -> tuple[dict[str, Any], dict[str, npt.NDArray[np.float16]]]:
    """What is known of the losses, and the losses (context, target) of both models over the same targets.

    ValueError where the text is too short.
    """
    contexts = context_record.CONTEXTS
    ids = torch.tensor(models["xl"].encode(text))
    places = context_record.targets_of(len(ids), max(contexts), targets)
    losses: dict[str, npt.NDArray[np.float16]] = {}
    for kind, source in models.items():
        with _told(kind) as tell:
            losses[kind] = context_record.losses_of(source.model, ids, places, contexts, tell).astype(np.float16)
    facts = {
        "contexts": list(contexts),
        "targets": targets,
        "stretches": context_record.STRETCHES,
        "spacing": context_record.SPACING,
        "first_target": int(places[0]),
        "last_target": int(places[-1]),
        "trained": {kind: source.config.segment_length for kind, source in models.items()},
        "trained_memory": models["xl"].config.mem_len,
        "bootstrap": {
            "seed": context_record.SEED,
            "draws": context_record.RESAMPLES,
            "neighbours": context_record.NEIGHBOURS,
            "percent": 95,
        },
        "flat_tolerance": context_record.FLAT,
        "curves": {kind: context_record.summary(table, contexts) for kind, table in losses.items()},
        "recurrent": in_stream(models["xl"], ids, places, losses["xl"]),
    }
    return facts, losses


def in_stream(xl: Checkpoint, ids: torch.Tensor, places: context_record.Places, one_pass: npt.ArrayLike) -> dict[str, Any]:
    """The same targets read by the Transformer-XL in segments with a memory, at those c that are whole segments.

    Args:
        one_pass: (context, target) its losses at ``CONTEXTS``.
    """
    assert isinstance(xl.model, TransformerXL)
    L, contexts = xl.config.segment_length, context_record.CONTEXTS
    whole = [c for c in contexts if c % L == 0]
    with _told("xl, in a stream") as tell:
        found = context_stream.losses_of(xl.model, ids, places, whole, tell)
    return context_stream.described(found, np.asarray(one_pass)[[contexts.index(c) for c in whole]], whole, L)


@contextmanager
def _told(what: str) -> Iterator[Callable[[float], None]]:
    """A bar on standard error, which is told the share that is done."""
    with tqdm(total=100, desc=what, file=sys.stderr, bar_format="{l_bar}{bar}| {elapsed}<{remaining}") as bar:

        def tell(share: float) -> None:
            bar.n = 100 * share
            bar.refresh()

        yield tell
