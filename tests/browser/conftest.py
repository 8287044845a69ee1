"""The app, running once a worker, and a page of a real Chromium that notices what goes wrong in it."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright

from scripts.find_chromium import find

ROOT = Path(__file__).parents[2]
STARTS_WITHIN = 90  # seconds; torch alone takes several on a busy machine

expect.set_options(timeout=20_000)


@pytest.fixture(scope="session")
def app_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of the running app. When the tests end, its log must hold no traceback."""
    port = _free_port()
    log = tmp_path_factory.mktemp("app") / "log.txt"
    command = [sys.executable, "-m", "streamlit", "run", "app.py", "--server.port", str(port), "--server.address", "localhost"]
    command += ["--server.headless", "true", "--server.fileWatcherType", "none", "--browser.gatherUsageStats", "false"]
    with log.open("w") as output:
        process = subprocess.Popen(command, cwd=ROOT, stdout=output, stderr=subprocess.STDOUT)
        try:
            _wait_until_healthy(process, port, log)
            yield f"http://localhost:{port}"
        finally:
            process.terminate()
            process.wait(timeout=20)
    said = log.read_text()
    assert "Traceback" not in said, said


def _free_port() -> int:
    """One that the system picks, so that two workers don't pick the same."""
    with socket.socket() as probe:
        probe.bind(("localhost", 0))
        return int(probe.getsockname()[1])


def _wait_until_healthy(process: subprocess.Popen[bytes], port: int, log: Path) -> None:
    for _ in range(STARTS_WITHIN * 4):
        try:
            with urllib.request.urlopen(f"http://localhost:{port}/_stcore/health", timeout=5) as answer:
                if answer.status == 200:
                    return
        except OSError:
            pass
        try:
            process.wait(timeout=0.25)
        except subprocess.TimeoutExpired:
            continue
        break
    pytest.fail(f"the app didn't start:\n{log.read_text()}")


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """The Chromium that $CHROMIUM names, or the one on PATH."""
    path = os.environ.get("CHROMIUM") or find()
    if not path:
        pytest.fail("there is no Chromium: install the package chromium, or set CHROMIUM to the path of one")
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(
            executable_path=path, args=["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
        )
        yield started
        started.close()


@pytest.fixture
def page(browser: Browser, app_url: str) -> Iterator[Page]:
    """A fresh page at 1440 x 900. No script may fail in it, and nothing may be asked from another machine."""
    yield from _page(browser, app_url)


@pytest.fixture(scope="module")
def shared_page(browser: Browser, app_url: str) -> Iterator[Page]:
    """One such page for all tests of a module, which leave it as they like."""
    yield from _page(browser, app_url)


def _page(browser: Browser, app_url: str) -> Iterator[Page]:
    context = browser.new_context(viewport={"width": 1440, "height": 900}, accept_downloads=True)
    opened = context.new_page()
    wrong: list[str] = []
    opened.on("pageerror", lambda error: wrong.append(f"script error: {error}"))
    opened.on("request", lambda request: _is_local(request.url, app_url) or wrong.append(f"request: {request.url}"))
    yield opened
    context.close()
    assert not wrong, "\n".join(wrong)


def _is_local(url: str, app_url: str) -> bool:
    return url.startswith((app_url, app_url.replace("http", "ws", 1), "data:", "blob:", "about:"))
