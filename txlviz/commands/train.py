"""``python -m txlviz train PRESET {xl,vanilla}``."""

from __future__ import annotations

import argparse
import dataclasses
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch

from txlviz import checkpoint as checkpoints
from txlviz.commands.arguments import positive
from txlviz.data import SPLITS, Split, Tokenizer, load_split
from txlviz.models import LanguageModel
from txlviz.recorded import CODE
from txlviz.source_digest import digest
from txlviz.training import card, card_scores
from txlviz.training.memory import MemoryDraws
from txlviz.training.presets import PRESETS
from txlviz.training.run import TrainingData, train
from txlviz.training.world import World, joined_world


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Describes the command's options."""
    parser = commands.add_parser("train", help="train one model from a named preset, and write its checkpoint folder")
    parser.add_argument("preset", choices=sorted(PRESETS))
    parser.add_argument("kind", choices=["xl", "vanilla"])
    parser.add_argument("--data-dir", type=Path, help="folder with wiki.{train,valid,test}.tokens (default: the hub)")
    parser.add_argument("--resume", action="store_true", help="go on where the run in --run-dir was stopped")
    parser.add_argument("--out", type=Path, help="checkpoint folder (default: checkpoints/PRESET/KIND)")
    parser.add_argument("--run-dir", type=Path, help="where the log and the unfinished run stand (default: runs/PRESET/KIND)")
    parser.add_argument("--threads", type=positive, help="threads of each process (default: torch's own choice)")
    parser.add_argument(
        "--save-every", type=positive, default=200, metavar="STEPS", help="steps between two saved states (200)"
    )
    parser.add_argument("--steps", type=positive, help="stop the schedule after this many steps instead of the preset's")
    parser.add_argument("--mem-len", type=int, help="a fixed memory in training, instead of the preset's draws")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> None:
    """Trains, scores, and writes the checkpoint."""
    if args.threads:
        torch.set_num_threads(args.threads)
    memory = None if args.mem_len is None else MemoryDraws((args.mem_len,), (1.0,))
    changes = {"steps": args.steps, "memory": memory}
    preset = dataclasses.replace(PRESETS[args.preset], **{k: v for k, v in changes.items() if v is not None})
    folder = args.run_dir or Path("runs") / args.preset / args.kind
    out = args.out or Path("checkpoints") / args.preset / args.kind
    out.mkdir(parents=True, exist_ok=True)  # a path that can't be written is said now, not after hours of training
    with joined_world() as world:
        splits = [load_split(name, args.data_dir) for name in SPLITS]
        tokenizer = Tokenizer.train(splits[0].text.splitlines(keepends=True), preset.vocab_size)
        ids = {split.name: torch.tensor(tokenizer.encode(split.text)) for split in splits}
        data = TrainingData(ids["train"], ids["valid"], tokenizer.newline, tokenizer.vocab_size)
        finished = train(preset, args.kind, data, folder, resume=args.resume, save_every=args.save_every, world=world)
        if world.is_main:
            tokens = {str(name): len(values) for name, values in ids.items()}
            described = card.describe(preset, _command(args, world), splits, tokens, finished, world.size)
            _publish(out, finished.model, tokenizer, described, splits[1:])
            print(f"written: {out}")


def _publish(out: Path, model: LanguageModel, tokenizer: Tokenizer, described: dict[str, Any], scored: Sequence[Split]) -> None:
    """Scores the splits, by which M is chosen, and writes the folder."""
    found = card_scores.score(checkpoints.Checkpoint(out, model, tokenizer, described), scored)
    checkpoints.save(out, model, tokenizer, {CODE: digest(card_scores.__name__), **described, **found})


def _command(args: argparse.Namespace, world: World) -> str:
    """The command that repeats this run: all that its weights depend on."""
    start = "python -m" if world.size == 1 else f"torchrun --nproc-per-node {world.size} -m"
    options = {"--threads": torch.get_num_threads(), "--steps": args.steps, "--mem-len": args.mem_len}
    given = "".join(f" {name} {value}" for name, value in options.items() if value is not None)
    return f"{start} txlviz train {args.preset} {args.kind}{given}"
