"""How long the parts take that fill in after a page's first repaint, and how long a pair of the echo test trains, in Chromium.

    CHROMIUM=/usr/bin/chromium python benchmarks/filling_in.py

A text of 256 tokens, 4 layers, L = 64, M = 256. Prints one JSON object with seconds: from the click or key to what stands last.
"""

from __future__ import annotations

import json
import os
import time
import urllib.parse

from playwright.sync_api import Page, expect, sync_playwright
from repaint import app, text_of

LONG = 120_000  # milliseconds


def all_cuts(page: Page, url: str, address: str) -> float:
    """Context fragmentation: L moved by one, so that all cuts of both models are computed anew, 64 offsets."""
    page.goto(f"{url}/context_fragmentation?{address}&L=63")
    expect(page.get_by_text("All 63 cuts:")).to_be_visible(timeout=LONG)
    page.get_by_role("slider", name="Segment length L").focus()
    start = time.perf_counter()
    page.keyboard.press("ArrowRight")
    expect(page.get_by_text("All 64 cuts:")).to_be_visible(timeout=LONG)
    return time.perf_counter() - start


def does_change(page: Page, url: str, address: str) -> float:
    """Recurrence and memory: every earlier token replaced, for a selected token with a whole text before it."""
    page.goto(f"{url}/recurrence_and_memory?{address}&token=250")
    lens = page.get_by_role("radio", name="does change").or_(page.get_by_role("button", name="does change"))
    expect(lens.first).to_be_visible(timeout=LONG)
    page.wait_for_timeout(3000)
    start = time.perf_counter()
    lens.first.click()
    expect(page.get_by_text("Replace any earlier token: how much does").first).to_be_visible(timeout=LONG)
    expect(page.get_by_test_id("stProgress")).to_have_count(0, timeout=LONG)
    return time.perf_counter() - start


def echo_pair(page: Page, url: str, _: str) -> float:
    """Echo test: both models trained, with the settings that the page opens with."""
    page.goto(f"{url}/echo_test")
    button = page.locator(".st-key-echo_train").get_by_role("button")
    expect(button).to_be_visible(timeout=LONG)
    page.wait_for_timeout(2000)
    start = time.perf_counter()
    button.click()
    expect(page.get_by_text("Trained here in")).to_be_visible(timeout=LONG)
    return time.perf_counter() - start


def main() -> None:
    """Measures, and prints the result."""
    address = urllib.parse.urlencode({"text": text_of(256), "M": 256})
    found = {}
    with app() as url, sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=os.environ.get("CHROMIUM", "/usr/bin/chromium"),
            args=["--no-sandbox", "--disable-gpu", "--disable-background-networking"],
        )
        for part in (all_cuts, does_change, echo_pair):
            page = browser.new_page(viewport={"width": 1440, "height": 900})
            found[part.__name__] = round(part(page, url, address), 2)
            page.close()
        browser.close()
    print(json.dumps({"seconds": found, "cpus": os.cpu_count(), "load": os.getloadavg()[0]}))


if __name__ == "__main__":
    main()
