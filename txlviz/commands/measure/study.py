"""``python -m txlviz measure study [PRESET]``: what the page The study shows of one pair, beside what the cards hold."""

from __future__ import annotations

import argparse
import dataclasses
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from tqdm import tqdm

from txlviz.analysis.recurrences import Values
from txlviz.analysis.study import scores
from txlviz.commands import pair
from txlviz.commands.arguments import positive
from txlviz.commands.machine import machine
from txlviz.commands.measure import study_parts
from txlviz.commands.measure.study_losses import Reading, losses
from txlviz.commands.pair import Pair
from txlviz.data import Split, load_split
from txlviz.data.corpus import SplitName
from txlviz.training import card_scores
from txlviz.training.presets import PRESETS

PRESET, FILE = "wikitext2-4l", "study.json"
SCORED: tuple[SplitName, SplitName] = ("valid", "test")
PARTS = ("losses", "texts", "steps")


def add_parser(kinds: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Describes the command's options."""
    parser = kinds.add_parser(
        "study",
        help="scores on best terms, losses token by token, time of a training step, two texts",
        description="Makes the parts of the study's record: losses (scores, where the models differ, classes of tokens), texts "
        "and steps (time of a training step). Parts that aren't asked for stay as they were recorded.",
    )
    pair.add_options(parser, PRESET, corpus=True)
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"which to make: {', '.join(PARTS)} (default: all)")
    parser.add_argument("--run-dir", type=Path, default=Path("runs/study"), help="where losses are kept as they are made")
    parser.add_argument(
        "--best",
        nargs="*",
        choices=SCORED,
        default=list(SCORED),
        metavar="SPLIT",
        help="splits that the vanilla model reads with stride 1 too, the longest part (default: valid test)",
    )
    parser.add_argument("--rounds", type=positive, default=study_parts.ROUNDS, help="training steps that are timed")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> None:
    """Measures with one thread, and writes the record beside the checkpoints."""
    parts = pair.parts(args, PARTS)
    models = pair.load(args)
    path = args.checkpoints / args.preset / FILE
    values = {"preset": args.preset, **pair.before(path, models)}
    if "losses" in parts:
        values |= from_losses(models, args.data_dir, args.run_dir / args.preset, best=args.best)
    if "texts" in parts:
        sampling = dataclasses.asdict(study_parts.SAMPLING)
        values["texts"] = {"prompt": study_parts.PROMPT, "sampling": sampling, "seed": study_parts.SEED}
        values["texts"] |= {kind: study_parts.texts(source) for kind, source in models.items()}
    if "steps" in parts:
        preset = PRESETS.get(args.preset)
        if preset is None:
            raise ValueError(f"there is no preset {args.preset!r} to train: choose from {', '.join(PRESETS)}")
        with tqdm(total=args.rounds, unit="step", desc="steps", leave=False) as bar:
            values["steps"] = study_parts.steps(preset, machine(), args.rounds, bar.update)
    pair.record(args, FILE, models, values, _lines(values), __name__, partly=set(parts) != set(PARTS))


def from_losses(models: Pair, data_dir: Path | None, folder: Path, best: Sequence[str]) -> dict[str, Any]:
    """Scores that the cards lack, and what the losses say token by token on the validation split."""
    xl, vanilla = models["xl"], models["vanilla"]
    L, M = vanilla.config.segment_length, xl.config.mem_len
    found: dict[str, Any] = {"segment_length": L, "memory_length": M, "scores": {}, "gap": {}}
    valid = load_split("valid", data_dir)
    plain = {f"xl_{rows}": Reading("xl", "valid", rows) for rows in sorted({M, *study_parts.MEMORIES})}
    read = _read(models, valid, folder, {"vanilla": Reading("vanilla", "valid"), **plain})
    for name in SCORED:
        if name not in best:
            continue
        split = valid if name == "valid" else load_split(name, data_dir)
        on_best = _read(models, split, folder, {"vanilla_best": Reading("vanilla", split.name, best=True)})
        made = scores(on_best["vanilla_best"], split.text, split.words, L=L, M=0, stride=1)
        found["scores"][split.name] = {"vanilla_best": card_scores.rounded(made)}
        if split.name == "valid":
            read |= on_best
    found["gap"] = {how: study_parts.gap(read[how], read[f"xl_{M}"]) for how in ("vanilla", "vanilla_best") if how in read}
    train = np.array(xl.encode(load_split("train", data_dir).text))
    ids = np.array(xl.inputs(valid.text))
    found["recurrences"] = study_parts.by_class(ids, train, read, L)
    return found


def _read(models: Pair, split: Split, folder: Path, readings: Mapping[str, Reading]) -> dict[str, Values]:
    """The losses of readings of one split, by their names."""
    tokens = len(models["xl"].encode(split.text))
    found: dict[str, Values] = {}
    for name, reading in readings.items():
        with tqdm(total=tokens, unit=" tokens", unit_scale=True, desc=reading.name, leave=False, file=sys.stderr) as bar:
            found[name] = losses(models[reading.kind], reading, split.text, folder, bar.update)
    return found


def _lines(values: Mapping[str, Any]) -> Iterator[str]:
    for split, by_model in values.get("scores", {}).items():
        for how, one in by_model.items():
            yield f"{split:6} {how:13} {one['token_perplexity']:8.2f} a token {one['word_perplexity']:8.2f} a word"
    for kind, seconds in values.get("steps", {}).get("seconds", {}).items():
        yield f"{kind:20} {1e3 * seconds:8.1f} ms a training step"
