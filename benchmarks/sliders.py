"""From a move of a slider to the repaint of the figure that answers, for the sliders of all pages: medians, in Chromium.

    CHROMIUM=/usr/bin/chromium python benchmarks/sliders.py [PAGE ...]

Each slider is moved with the arrow keys over a text of 256 tokens, mostly to values not seen before, so that the models run
anew. The time goes from the key to the frame after the figure's first change; what fills in later isn't waited for. Prints one
JSON object: a slider's median, and all its times.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import sys
import urllib.parse
from dataclasses import dataclass, field

from playwright.sync_api import Page, expect, sync_playwright
from repaint import app, text_of

# Notes when a key went down, and when the figure, or what stands in its shadow roots, had changed.
WATCH = """(selector) => {
  const drawn = "d x y x1 x2 y1 y2 cx cy points transform width height fill data-stamp aria-label".split(" ");
  window.pressed = window.repainted = null;
  window.addEventListener("keydown", () => { window.pressed = performance.now(); window.repainted = null; }, true);
  const seen = () => {
    const since = window.pressed;
    if (since === null) return;
    requestAnimationFrame(() => setTimeout(() => {
      if (since === window.pressed && window.repainted === null) window.repainted = performance.now() - since;
    }));
  };
  const watcher = new MutationObserver(seen);
  const watch = (root) => {
    watcher.observe(root, { subtree: true, childList: true, characterData: true, attributes: true, attributeFilter: drawn });
    for (const inner of root.querySelectorAll("*")) if (inner.shadowRoot) watch(inner.shadowRoot);
  };
  watch(document.querySelector(selector));
}"""


@dataclass(frozen=True)
class Slider:
    """One slider, and the figure that answers it."""

    page: str
    name: str
    """As it is labelled."""
    figure: str
    """The key of the figure."""
    nth: int = 0
    """Which of the sliders of that name."""
    settings: dict[str, object] = field(default_factory=dict)
    """In the address, beside the text."""
    fold: str = ""
    """What the fold around it is called, which is opened first."""


_SHORT = {"L": 48, "M": 16}  # so that each move of L and M changes what the last token sees
SLIDERS = [
    Slider("context_fragmentation", "Segment length L", "cut_strip", settings=_SHORT),
    Slider("context_fragmentation", "Cut: inputs in the first segment", "cut_strip", settings=_SHORT),
    Slider("echo_test", "Delay D", "txl-chart-echo-accuracy"),
    Slider("echo_test", "Test-time M", "txl-chart-echo-accuracy"),
    *(
        Slider("recurrence_and_memory", name, "cone", settings=_SHORT | {"lens": lens})
        for lens in ("reach", "change", "gradient")
        for name in ("Segment length L", "Memory length M")
    ),
    Slider("recurrence_and_memory", "Segment length L", "memory_stepper", settings=_SHORT),
    Slider("recurrence_and_memory", "Layers N", "txl-chart-span_layers", settings=_SHORT),
    Slider("recurrence_and_memory", "Memory length M", "txl-chart-span_staircase", nth=1, settings=_SHORT),
    Slider("relative_positions", "Segment length L", "txl-chart-position_curves", settings=_SHORT),
    Slider("relative_positions", "Memory length M", "txl-chart-position_curves", settings=_SHORT),
    Slider("relative_positions", "Queries", "shift_stepper", settings=_SHORT),
    Slider("relative_positions", "Keys before them", "shift_stepper", settings=_SHORT),
    Slider("relative_positions", "Last query: place in the text", "shift_stepper", settings=_SHORT | {"token": 200}),
    *(
        Slider("effective_context", name, f"txl-chart-{figure}", settings=_SHORT)
        for figure in ("context", "arcs")
        for name in ("Segment length L", "Memory length M")
    ),
    *(
        Slider("effective_context", name, "txl-chart-gains", settings=_SHORT, fold="Relative effective context length")
        for name in ("Step Δ", "First c")
    ),
    # The sliders of Speed and generation set what its next run takes: no figure answers them before the button.
    *(
        Slider("landscape", name, "landscape_first_pattern", settings=_SHORT | {"first": first, "show": show})
        for show in ("mask", "weights")
        for first, name in (
            ("segments", "Segment length L"),
            ("xl", "Memory length M"),
            ("longformer", "Window w"),
            ("bigbird", "Block b"),
            ("linformer", "Rank k"),
        )
        if (first, show) != ("linformer", "mask")  # without a mask nothing moves
    ),
    Slider(
        "landscape", "Segment length L", "landscape_first_pattern", settings=_SHORT | {"first": "sliding", "show": "weights"}
    ),
    Slider("the_study", "The Transformer-XL's perplexity per token is lower by", "txl-chart-study_bars"),
]


def measure(page: Page, url: str, text: str, slider: Slider, moves: int) -> list[float]:
    """Seconds of each move."""
    page.goto(f"{url}/{slider.page}?" + urllib.parse.urlencode({"text": text, **slider.settings}))
    if slider.fold:
        page.locator("summary").filter(has_text=slider.fold).click(timeout=60_000)
    figure = page.locator(f".st-key-{slider.figure}").first
    expect(figure).to_be_visible(timeout=60_000)
    _quiet(page)
    page.evaluate(WATCH, f".st-key-{slider.figure}")
    thumb = page.get_by_role("slider", name=slider.name).nth(slider.nth)
    times = []
    for _ in range(moves):
        thumb.focus()
        at = float(thumb.get_attribute("aria-valuenow") or thumb.input_value())
        most = float(thumb.get_attribute("aria-valuemax") or thumb.get_attribute("max") or at + 1)
        page.keyboard.press("ArrowRight" if at < most else "Home")
        page.wait_for_function("window.repainted !== null", timeout=60_000)
        times.append(page.evaluate("window.repainted") / 1000)
        _quiet(page)
    return times


def _quiet(page: Page) -> None:
    """No run of the script, and no progress bar, for half a second."""
    idle = "[data-testid=stApp][data-test-script-state=notRunning]:not(:has([data-testid=stProgress]))"
    calm = 0
    while calm < 5:
        page.wait_for_selector(idle, timeout=120_000)
        page.wait_for_timeout(100)
        calm = calm + 1 if page.query_selector(idle) else 0


def main() -> None:
    """Measures, and prints the result."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("pages", nargs="*", metavar="PAGE", help="only these, such as recurrence_and_memory (default: all)")
    parser.add_argument("--tokens", type=int, default=256)
    parser.add_argument("--moves", type=int, default=8)
    arguments = parser.parse_args()
    text, found = text_of(arguments.tokens), []
    with app() as url, sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=os.environ.get("CHROMIUM", "/usr/bin/chromium"),
            args=["--no-sandbox", "--disable-gpu", "--disable-background-networking"],
        )
        for slider in SLIDERS:
            if arguments.pages and slider.page not in arguments.pages:
                continue
            page = browser.new_page(viewport={"width": 1440, "height": 900})
            seconds = [round(time, 3) for time in measure(page, url, text, slider, arguments.moves)]
            page.close()
            median = round(statistics.median(seconds), 3)
            lens = {key: value for key, value in slider.settings.items() if key == "lens"}
            names = {"page": slider.page, "slider": slider.name, "figure": slider.figure, **lens}
            found.append({**names, "median_s": median, "all_s": seconds})
            print(json.dumps(found[-1]), file=sys.stderr)
        browser.close()
    machine = {"cpus": os.cpu_count(), "load": os.getloadavg()[0]}
    print(json.dumps({"sliders": found, "tokens": arguments.tokens, **machine}, indent=1))


if __name__ == "__main__":
    main()
