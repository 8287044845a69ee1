"""Prints the path of a Chromium for the browser tests, and installs one where that takes no password.

The tests drive the browser through Playwright. Playwright could download a browser of its own, but it takes any Chromium by
its path, and a system's own package brings the shared libraries and fonts that a bare download lacks. So this looks, in turn:

1. $CHROMIUM, where it is set;
2. the usual names on PATH;
3. apt-get, for root or with a sudo that asks nothing. Its output goes to stderr: stdout holds the path and nothing else, so
   that the Makefile can read it.

    CHROMIUM=$(python scripts/find_chromium.py)
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


def find() -> str | None:
    """The path of $CHROMIUM or of the first name on PATH; None where there is none."""
    if chosen := os.environ.get("CHROMIUM"):
        if path := shutil.which(chosen):
            return path
        sys.exit(f"CHROMIUM is set to {chosen}, which is no program that can be run: correct it or unset it.")
    return next((path for name in NAMES if (path := shutil.which(name))), None)


def root_prefix() -> list[str] | None:
    """What to put before a command to run it as root: nothing for root, sudo where it asks nothing, None where neither."""
    if os.geteuid() == 0:
        return []
    if shutil.which("sudo") and subprocess.run(["sudo", "-n", "true"], capture_output=True).returncode == 0:
        return ["sudo", "-n"]
    return None


def install() -> None:
    """Tries to install the package; whether that worked, ``find`` tells."""
    prefix = root_prefix() if shutil.which("apt-get") else None
    if prefix is None:
        return
    print("No Chromium here: installing it with apt-get", file=sys.stderr)
    for arguments in (["update"], ["install", "-y", "chromium"]):
        command = [*prefix, "env", "DEBIAN_FRONTEND=noninteractive", "apt-get", *arguments]
        if subprocess.run(command, stdin=subprocess.DEVNULL, stdout=sys.stderr).returncode != 0:
            return


def main() -> None:
    """Prints the path, or ends with status 1 and one sentence that says what to do."""
    path = find()
    if path is None:
        install()
        path = find()
    if path is None:
        sys.exit(
            "The browser tests need Chromium: install the package chromium (Debian: sudo apt-get install chromium) or Google "
            "Chrome, or set CHROMIUM to the path of one, and run this again."
        )
    print(path)


if __name__ == "__main__":
    main()
