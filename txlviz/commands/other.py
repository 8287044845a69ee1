"""A command that starts other commands of this program, each in a process of its own."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path


def succeeds(command: str, checkpoints: Path, data_dir: Path | None) -> bool:
    """Runs ``command``, what follows ``python -m txlviz``. What it prints goes to standard error, a failure's reason too."""
    words = [*command.split(), "--checkpoints", str(checkpoints)]
    if data_dir is not None:
        words += ["--data-dir", str(data_dir)]
    print(f"python -m txlviz {' '.join(words)}", file=sys.stderr, flush=True)
    return not subprocess.run([sys.executable, "-m", "txlviz", *words], stdout=sys.stderr, check=False).returncode
