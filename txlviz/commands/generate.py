"""``python -m txlviz generate CHECKPOINT PROMPT``."""

from __future__ import annotations

import argparse
import json
from itertools import islice
from pathlib import Path

import torch
from tqdm import tqdm

from txlviz import checkpoint as checkpoints
from txlviz.commands.arguments import positive
from txlviz.generation import Sampling, stream


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Describes the command's options."""
    parser = commands.add_parser("generate", help="go on with a prompt")
    parser.add_argument("checkpoint", type=Path)
    parser.add_argument("prompt")
    parser.add_argument("--tokens", type=positive, default=200, help="new tokens (default: 200)")
    parser.add_argument(
        "--segment-length", "-L", type=int, help="tokens a segment, or in the vanilla window (default: as trained)"
    )
    parser.add_argument("--memory-length", "-M", type=int, help="rows of memory of the Transformer-XL (default: the card's)")
    parser.add_argument("--temperature", type=float, default=1.0, help="0: always the likeliest token (default: 1)")
    parser.add_argument("--top-k", type=int, help="draw from the k likeliest tokens only")
    parser.add_argument("--top-p", type=float, help="draw from the smallest set of tokens with this probability")
    parser.add_argument(
        "--repetition-penalty", type=float, default=1.0, help="makes tokens less likely that were there (1: off)"
    )
    parser.add_argument("--seed", type=int, default=0, help="of the draws (default: 0)")
    parser.add_argument("--threads", type=positive, default=1, help="threads of the processor (1: the models are small)")
    parser.add_argument("--json", action="store_true", help="print one JSON object and nothing else")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> None:
    """Prints the prompt's continuation."""
    torch.set_num_threads(args.threads)
    checkpoint = checkpoints.load(args.checkpoint)
    steps = stream(
        checkpoint,
        args.prompt,
        segment_length=args.segment_length,
        memory_length=args.memory_length,
        sampling=Sampling(args.temperature, args.top_k, args.top_p, args.repetition_penalty),
        seed=args.seed,
    )
    made = list(tqdm(islice(steps, args.tokens), total=args.tokens, unit="token", leave=False))
    text = checkpoint.decode([step.token for step in made])
    if args.json:
        each = 1000 * sum(step.seconds for step in made) / len(made)
        report = {"model": checkpoint.name, "prompt": args.prompt, "continuation": text, "tokens": len(made)}
        print(json.dumps({**report, "milliseconds_per_token": round(each, 3), "seed": args.seed}))
    else:
        print(f"{args.prompt}{text}")
