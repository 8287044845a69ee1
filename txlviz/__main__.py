"""``python -m txlviz COMMAND``."""

from __future__ import annotations

import argparse
import sys

from txlviz.commands import benchmark, claim, evaluate, generate, measure, record, train
from txlviz.data import CorpusError


def main(argv: list[str] | None = None) -> int:
    """Runs one command. A person's mistake ends in one sentence on standard error and status 2."""
    parser = argparse.ArgumentParser(prog="python -m txlviz", description="Train, score and measure the models of txlviz.")
    commands = parser.add_subparsers(metavar="COMMAND", required=True)
    for command in (train, evaluate, generate, record, measure, benchmark, claim):
        command.add_parser(commands)
    args = parser.parse_args(argv)
    try:
        args.run(args)
    except (CorpusError, ValueError) as error:
        print(f"txlviz: {error}", file=sys.stderr)
        return 2
    except OSError as error:  # a folder that can't be written, a file in a folder's place
        print(f"txlviz: {error.filename or ''}: {error.strerror or error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("txlviz: stopped", file=sys.stderr)
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
