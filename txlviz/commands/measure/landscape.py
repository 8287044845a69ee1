"""``python -m txlviz measure landscape``: one short training run a position system, and what each model then scores."""

from __future__ import annotations

import argparse
import dataclasses
import json
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import torch

from txlviz import checkpoint as checkpoints
from txlviz.analysis import landscape_record, variant_scores
from txlviz.analysis.landscape_record import LandscapeRecord
from txlviz.checkpoint import CHECKPOINTS
from txlviz.commands.arguments import positive
from txlviz.commands.measure.landscape_result import Corpus, result
from txlviz.commands.pair import report
from txlviz.data import SPLITS, load_split
from txlviz.training import card
from txlviz.training.presets import Preset
from txlviz.training.run import Finished, TrainingData, train
from txlviz.training.variants import LANDSCAPE, SHIPPED, VARIANTS, Variant

FOLDER, RESULT = "landscape", "result.json"
TOKENIZER_OF = "wikitext2-2l/xl"
_LOOKS = 8  # at the validation split while training


def add_parser(kinds: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Describes the command's options."""
    parser = kinds.add_parser(
        "landscape",
        help="train the 2-layer preset with each position system for half an epoch, and score all",
        description="Trains what isn't in the run folder yet (a stopped run goes on where it was), scores it, and writes a "
        "line a run into checkpoints/landscape/record.json. Runs that aren't asked for stay as they were recorded.",
    )
    parser.add_argument("--only", nargs="+", choices=list(VARIANTS), metavar="NAME", help=f"of {', '.join(VARIANTS)}")
    parser.add_argument("--data-dir", type=Path, help="folder with wiki.{train,valid,test}.tokens (default: the hub)")
    parser.add_argument("--threads", type=positive, default=1, help="threads of the processor (1: the models are small)")
    parser.add_argument("--steps", type=positive, help="stop the schedule after this many steps, in a quick trial")
    parser.add_argument("--run-dir", type=Path, default=Path("runs/landscape"), help="where runs and single results are kept")
    parser.add_argument("--checkpoints", type=Path, default=CHECKPOINTS, help="the folder that holds the presets")
    parser.add_argument("--json", action="store_true", help="print one JSON object and nothing else")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> None:
    """Trains and scores one run after the other; the record is written after each."""
    torch.set_num_threads(args.threads)
    preset = dataclasses.replace(LANDSCAPE, steps=args.steps) if args.steps else LANDSCAPE
    tokenizer = checkpoints.load(args.checkpoints / TOKENIZER_OF).tokenizer
    splits = {split.name: split for split in (load_split(name, args.data_dir) for name in SPLITS)}
    ids = {str(name): torch.tensor(tokenizer.encode(split.text)) for name, split in splits.items()}
    data = TrainingData(ids["train"], ids["valid"], tokenizer.newline, tokenizer.vocab_size)
    corpus = Corpus(tokenizer, list(splits.values()), ids)
    folder = args.checkpoints / FOLDER
    settings = _settings(preset, corpus)
    runs = _before(folder, settings)
    names = args.only or list(VARIANTS)
    for at, name in enumerate(names, start=1):
        print(name, file=sys.stderr)
        variant = VARIANTS[name]
        finished = train(preset, variant, data, args.run_dir / name, resume=True, save_every=361, looks=_LOOKS)
        made = result(variant, preset, finished, corpus, args.run_dir / name / RESULT)
        if name in SHIPPED:
            _ship(folder / name, variant, preset, finished, corpus, made)
        runs[name] = made["run"]
        record = LandscapeRecord(settings, {known: runs[known] for known in VARIANTS if known in runs})
        landscape_record.write(folder, record, __name__, partly=set(names[:at]) != set(VARIANTS))
    values = {"settings": dict(record.settings), **record.runs}
    report(args, [folder / landscape_record.FILE], values, _lines(record))


def _ship(folder: Path, variant: Variant, preset: Preset, finished: Finished, corpus: Corpus, made: Mapping[str, Any]) -> None:
    """Writes the checkpoint folder of one run."""
    command = f"python -m txlviz measure landscape --only {variant.name} --threads {torch.get_num_threads()}"
    tokens = {name: len(values) for name, values in corpus.ids.items()}
    described = card.describe(preset, command, corpus.splits, tokens, finished, world_size=1)
    run = made["run"]
    described |= {"variant": variant.name, "scores": {"valid": {"how": run["headline"], **run["ways"][run["headline"]]}}}
    checkpoints.save(folder, finished.model, corpus.tokenizer, described, half_precision=True, tokenizer_of=TOKENIZER_OF)


def _settings(preset: Preset, corpus: Corpus) -> dict[str, Any]:
    """What all runs share."""
    return {
        **json.loads(json.dumps(dataclasses.asdict(preset))),  # as the record gives it back: lists, not tuples
        "split": "valid",
        "split_tokens": len(corpus.ids["valid"]),
        "words": corpus.valid.words,
        "lengths": list(variant_scores.LENGTHS),
        "length_tokens": variant_scores.LENGTH_TOKENS,
        "memories": list(variant_scores.MEMORIES),
        "weights": "rounded to float16",
    }


def _before(folder: Path, settings: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    """The runs that are recorded already. ValueError where their settings were others: they don't belong into one table."""
    if not (folder / landscape_record.FILE).exists():
        return {}
    before = landscape_record.read(folder)
    if dict(before.settings) != dict(settings):
        raise ValueError(
            f"{folder / landscape_record.FILE}: it was recorded with other settings or another corpus; delete it, or name "
            "another folder by --checkpoints"
        )
    return dict(before.runs)


def _lines(record: LandscapeRecord) -> Iterator[str]:
    yield f"{'run':24} {'read':>20} {'nats':>8} {'a token':>9} {'a word':>9}"
    for name, one in record.runs.items():
        best = record.headline(name)
        word = best["word_perplexity"]
        yield (
            f"{name:24} {one['headline']:>20} {best['loss']:8.4f} {best['token_perplexity']:9.2f} "
            f"{word if word is None else round(word, 1):>9}"
        )
