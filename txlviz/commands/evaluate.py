"""``python -m txlviz evaluate CHECKPOINT --split {valid,test} | --file TEXT``."""

from __future__ import annotations

import argparse
import dataclasses
import json
import math
from pathlib import Path

import torch

from txlviz import checkpoint as checkpoints
from txlviz.analysis.evaluate import evaluate
from txlviz.commands.arguments import positive
from txlviz.data import load_split


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Describes the command's options."""
    parser = commands.add_parser("evaluate", help="perplexity of a checkpoint on a split or on a text file")
    parser.add_argument("checkpoint", type=Path)
    source = parser.add_mutually_exclusive_group(required=True)
    source.add_argument("--split", choices=["train", "valid", "test"])
    source.add_argument("--file", type=Path, help="a UTF-8 text file")
    parser.add_argument("--data-dir", type=Path, help="folder with wiki.{train,valid,test}.tokens (default: the hub)")
    parser.add_argument("--segment-length", "-L", type=int, help="tokens a segment (default: as trained)")
    parser.add_argument("--memory-length", "-M", type=int, help="rows of memory of the Transformer-XL (default: the card's)")
    parser.add_argument("--stride", type=int, help="vanilla only: move a window of L tokens by this many (1: sliding window)")
    parser.add_argument("--batch-size", type=int, default=1, help="contiguous pieces read side by side (1: one stream)")
    parser.add_argument("--threads", type=positive, default=1, help="threads of the processor (1: the models are small)")
    parser.add_argument("--json", action="store_true", help="print one JSON object and nothing else")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> None:
    """Scores and prints."""
    torch.set_num_threads(args.threads)
    checkpoint = checkpoints.load(args.checkpoint)
    split = load_split(args.split, args.data_dir) if args.split else None
    text = split.text if split else _read(args.file)
    result = evaluate(
        checkpoint,
        text,
        args.segment_length,
        args.memory_length,
        stride=args.stride,
        batch_size=args.batch_size,
        words=split.words if split else None,
        progress=True,
    )
    report = {"model": checkpoint.name, "split": args.split or str(args.file), **dataclasses.asdict(result)}
    if split and not split.invertible:
        report["word_perplexity_is_lower_bound"] = True
    if args.json:
        finite = {k: None if isinstance(v, float) and not math.isfinite(v) else v for k, v in report.items()}
        print(json.dumps(finite, allow_nan=False))
        return
    for name, value in report.items():
        print(
            f"{name.replace('_', ' '):20} {value:,.4f}" if isinstance(value, float) else f"{name.replace('_', ' '):20} {value}"
        )


def _read(path: Path) -> str:
    try:
        return path.read_bytes().decode("utf-8")
    except OSError as error:
        raise ValueError(f"{path} can't be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise ValueError(f"{path} isn't UTF-8 text (byte {error.start})") from error
