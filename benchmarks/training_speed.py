"""Training speed against ``TransfoXLLMHeadModel`` of transformers 4.35.2, in turn on the same processor, in one run.

    python benchmarks/training_speed.py [--threads 2] [--rounds 12] [--json]

Both train a Transformer-XL of the 4-layer preset's sizes with a plain softmax (batch 32, L = M = 64, the memory carried
along): forward, backward, clipping and an AdamW step on the same random tokens, the same dropout. The peer needs older
companions than this project, so it lives in a virtual environment of its own, .venv-peer, which is made on the first run.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
WORKER = Path(__file__).with_name("training_worker.py")
PEER = ROOT / ".venv-peer"


def peer_python() -> Path:
    """The interpreter of the peer's environment, made where it is missing."""
    python = PEER / "bin" / "python"
    if not (PEER / "ready").exists():
        subprocess.run([sys.executable, "-m", "venv", str(PEER)], check=True)
        for packages in (["torch==2.13.0"], ["transformers==4.35.2", "numpy<2"]):
            subprocess.run([str(python), "-m", "pip", "install", "-q", *packages], check=True, stdout=sys.stderr)
        (PEER / "ready").touch()
    return python


class Worker:
    """A process that takes steps when it is asked to, and waits otherwise."""

    def __init__(self, python: str, who: str, threads: int, dropout: float) -> None:
        self._process = subprocess.Popen(
            [python, str(WORKER), who, str(threads), str(dropout)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self.about = json.loads(self._line())

    def seconds(self, steps: int) -> float:
        """How long ``steps`` training steps took."""
        assert self._process.stdin is not None
        self._process.stdin.write(f"{steps}\n")
        self._process.stdin.flush()
        return float(self._line())

    def stop(self) -> None:
        """Ends the process."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait()

    def _line(self) -> str:
        assert self._process.stdout is not None
        return self._process.stdout.readline()


def main() -> None:
    """Takes turns and prints tokens a second and their ratio."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=12)
    parser.add_argument("--steps", type=int, default=5, help="training steps in one turn")
    parser.add_argument("--dropout", type=float, default=0.0, help="of both models; the presets train with 0")
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()

    ours = Worker(sys.executable, "txlviz", args.threads, args.dropout)
    peer = Worker(str(peer_python()), "transformers", args.threads, args.dropout)
    tokens = args.steps * 32 * 64
    for worker in (ours, peer):
        worker.seconds(3)
    rates: list[tuple[float, float]] = []
    for turn in range(args.rounds):  # each goes first in every other round
        first, second = (ours, peer) if turn % 2 == 0 else (peer, ours)
        times = {id(worker): worker.seconds(args.steps) for worker in (first, second)}
        rates.append((tokens / times[id(ours)], tokens / times[id(peer)]))
        print(f"round {turn + 1}: {rates[-1][0]:,.0f} and {rates[-1][1]:,.0f} tokens/s", file=sys.stderr)
    for worker in (ours, peer):
        worker.stop()
    ratios = [a / b for a, b in rates]
    report = {
        "ours": ours.about,
        "peer": peer.about,
        "threads": args.threads,
        "dropout": args.dropout,
        "tokens_per_second": {
            "ours": round(statistics.median(a for a, _ in rates)),
            "peer": round(statistics.median(b for _, b in rates)),
        },
        "ratio": {"median": round(statistics.median(ratios), 3), "min": round(min(ratios), 3), "max": round(max(ratios), 3)},
    }
    print(json.dumps(report) if args.json else json.dumps(report, indent=1))


if __name__ == "__main__":
    main()
