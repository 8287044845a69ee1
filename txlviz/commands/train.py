"""``python -m txlviz train PRESET {xl,vanilla}``."""

from __future__ import annotations

import argparse
import dataclasses
from pathlib import Path

import torch

from txlviz import checkpoint as checkpoints
from txlviz.data import SPLITS, Split, Tokenizer, load_split
from txlviz.models import TransformerXL
from txlviz.training import card
from txlviz.training.presets import PRESETS, Preset
from txlviz.training.run import Finished, TrainingData, train
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
    parser.add_argument("--threads", type=int, help="threads of each process (default: torch's own choice)")
    parser.add_argument("--save-every", type=int, default=200, metavar="STEPS", help="steps between two saved states (200)")
    parser.add_argument("--steps", type=int, help="stop the schedule after this many steps instead of the preset's")
    parser.add_argument("--mem-len", type=int, help="memory of the Transformer-XL in training instead of the preset's")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> None:
    """Trains, scores, and writes the checkpoint."""
    if args.threads:
        torch.set_num_threads(args.threads)
    changes = {"steps": args.steps, "mem_len": args.mem_len}
    preset = dataclasses.replace(PRESETS[args.preset], **{k: v for k, v in changes.items() if v is not None})
    with joined_world() as world:
        splits = {name: load_split(name, args.data_dir) for name in SPLITS}
        tokenizer = Tokenizer.train(splits["train"].text.splitlines(keepends=True), preset.vocab_size)
        ids = {name: torch.tensor(tokenizer.encode(split.text)) for name, split in splits.items()}
        data = TrainingData(ids["train"], ids["valid"], tokenizer.newline, tokenizer.vocab_size)
        folder = args.run_dir or Path("runs") / args.preset / args.kind
        finished = train(preset, args.kind, data, folder, resume=args.resume, save_every=args.save_every, world=world)
        if world.is_main:
            out = args.out or Path("checkpoints") / args.preset / args.kind
            _publish(
                out, preset, args.kind, finished, tokenizer, list(splits.values()), {n: len(i) for n, i in ids.items()}, world
            )
            print(f"written: {out}")


def _publish(
    out: Path,
    preset: Preset,
    kind: str,
    finished: Finished,
    tokenizer: Tokenizer,
    splits: list[Split],
    tokens: dict[str, int],
    world: World,
) -> None:
    """Chooses M by validation, scores valid and test, and writes the folder."""
    described = card.describe(preset, kind, splits, tokens, finished.curve, world.size)
    valid, test = (next(split for split in splits if split.name == name) for name in ("valid", "test"))
    model = finished.model
    trained = checkpoints.Checkpoint(out, model, tokenizer, described)
    if isinstance(model, TransformerXL):
        best, by_memory = card.choose_memory(trained, valid)
        model.mem_len = best
        model.config = dataclasses.replace(model.config, mem_len=best)
        described["valid_loss_by_memory"] = by_memory
    described["scores"] = card.scores(trained, [valid, test])
    checkpoints.save(out, model, tokenizer, described)
