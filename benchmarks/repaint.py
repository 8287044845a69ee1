"""From the release of a slider to repainted maps on the Score terms page: the median, in Chromium, for a text of 256 tokens.

    CHROMIUM=/usr/bin/chromium python benchmarks/repaint.py

Starts the app, moves the sliders L and M in turn to values not seen before, so that each move runs the model anew, and takes
the time in the browser: from the pointer's release to the frame after the maps were drawn. Prints one JSON object.
"""

from __future__ import annotations

import argparse
import json
import os
import socket
import statistics
import subprocess
import sys
import time
import urllib.parse
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Locator, Page, expect, sync_playwright

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))  # the package isn't installed: it runs from the tree

import txlviz  # noqa: E402

STEPS = (5, 6, -3, 7, -4, 6, -5, 8)  # pixels: no pair of places twice, since what was computed once is remembered
SENTENCE = "The river rises in the northern hills and flows past the town, where the old mill was built by John Calder. "

# Notes when a pointer was released, and when the maps that follow stood on the screen.
WATCH = """() => {
  window.moves = [];
  window.addEventListener('pointerup', () => { window.released = performance.now(); }, true);
  const root = [...document.querySelectorAll('*')].map((e) => e.shadowRoot?.querySelector('.sm')).find(Boolean);
  new MutationObserver(() => {
    const released = window.released;
    requestAnimationFrame(() => setTimeout(() => window.moves.push(performance.now() - released)));
  }).observe(root, { attributes: true, attributeFilter: ['data-stamp'] });
}"""


def text_of(tokens: int) -> str:
    """A text of exactly that many tokens."""
    xl = txlviz.load(ROOT / "checkpoints/wikitext2-4l/xl")
    ids = xl.encode(SENTENCE * (tokens // 10))
    text = xl.decode(ids[:tokens])
    assert len(xl.encode(text)) == tokens
    return text


@contextmanager
def app() -> Iterator[str]:
    """The app on a free port."""
    with socket.socket() as probe:
        probe.bind(("localhost", 0))
        port = probe.getsockname()[1]
    options = ["--server.headless", "true", "--server.fileWatcherType", "none", "--server.port", str(port)]
    process = subprocess.Popen(
        [sys.executable, "-m", "streamlit", "run", "app.py", *options],
        cwd=ROOT,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    url = f"http://localhost:{port}"
    try:
        for _ in range(200):
            try:
                urllib.request.urlopen(f"{url}/_stcore/health", timeout=1)
                break
            except OSError:
                time.sleep(0.2)
        yield url
    finally:
        process.terminate()
        process.wait()


def drag(page: Page, slider: Locator, pixels: int) -> None:
    """Drags a slider's thumb with the mouse."""
    box = slider.bounding_box()  # the input itself is hidden, and stands at the middle of its thumb
    assert box is not None
    page.mouse.move(box["x"], box["y"])
    page.mouse.down()
    page.mouse.move(box["x"] + pixels, box["y"], steps=3)
    page.mouse.up()


def measure(url: str, text: str, moves: int) -> list[float]:
    """Milliseconds of each move."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=os.environ.get("CHROMIUM", "/usr/bin/chromium"),
            args=["--no-sandbox", "--disable-gpu", "--disable-background-networking"],
        )
        page = browser.new_page(viewport={"width": 1440, "height": 900})
        # The last segment, and a memory shorter than its past: then each move of either slider changes the maps.
        page.goto(f"{url}/score_terms?" + urllib.parse.urlencode({"text": text, "L": 48, "M": 16, "token": 250}))
        expect(page.get_by_test_id("query-out")).to_have_attribute("data-place", "250", timeout=60_000)
        page.evaluate(WATCH)
        lengths = page.get_by_role("slider", name="Segment length L"), page.get_by_role("slider", name="Memory length M")
        for n in range(moves):
            drag(page, lengths[n % 2], STEPS[(n // 2 + 3 * (n % 2)) % len(STEPS)])
            page.wait_for_function("n => window.moves.length > n", arg=n, timeout=60_000)
        times: list[float] = page.evaluate("window.moves")
        browser.close()
    return times


def main() -> None:
    """Measures, and prints the result."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--tokens", type=int, default=256)
    parser.add_argument("--moves", type=int, default=16)
    arguments = parser.parse_args()
    with app() as url:
        times = measure(url, text_of(arguments.tokens), arguments.moves)
    seconds = sorted(round(ms / 1000, 3) for ms in times)
    result = {"median_s": round(statistics.median(seconds), 3), "moves": len(seconds), "all_s": seconds}
    print(json.dumps(result | {"tokens": arguments.tokens, "cpus": os.cpu_count(), "load": os.getloadavg()[0]}))


if __name__ == "__main__":
    main()
