"""What the Relative positions page sends to the browser, and its words."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest

import txlviz
from txlviz.analysis.layer_inputs import layer_inputs
from txlviz.analysis.shift_window import shift_window
from txlviz.content import sections
from txlviz.ui import shift_stepper
from txlviz.ui.positions import labels

ROOT = Path(__file__).parents[2]
TEXT = "The river rises in the hills and flows past the old mill."
FOLDED = re.compile(r"collide|renumber|rewrite|sinusoids")
ASKED_FOR = re.compile(r"help_|labels$|no_record$")  # behind a question mark; in the place of others
SENTENCES = re.compile(
    r"(figure|count|curves|length)_title|length_(source|trained)|check_good"
)  # labels that are read as prose


@pytest.fixture(scope="module")
def window():
    xl = txlviz.load(ROOT / "checkpoints/wikitext2-2l/xl")
    return shift_window(xl, layer_inputs(xl, TEXT, 8, 8), 0, 1, 10, 3, 5)


def test_the_browser_gets_the_windows_numbers(window):
    tokens = [f"t{n}" for n in range(14)]
    sent = json.loads(json.dumps(shift_stepper.data(window, tokens, labels(), 64, 256, "x"), allow_nan=False))
    assert (sent["L"], sent["K"], sent["firstKey"]) == (3, 5, 6)
    assert sent["tokens"] == tokens[6:11]
    np.testing.assert_array_equal(np.array(sent["values"]).reshape(3, 6), window.steps.matrices[1])
    for name, matrix in (("loop", window.brute), ("loopB", window.brute_b), ("loopD", window.brute_d)):
        found = np.array([[-np.inf if value is None else value for value in row] for row in sent[name]])
        np.testing.assert_array_equal(found, matrix)
    assert sent["shifted"] == sent["loop"]
    assert sent["agree"] is True
    assert sent["projections"] == [320, 64 * 320]
    assert sent["title"] == labels()["figure_title"]


def test_at_most_250_words_stand_outside_the_folds():
    shown = [
        body
        for key, body in sections("relative_positions").items()
        if not re.match(rf"{FOLDED.pattern}|{ASKED_FOR.pattern}", key)
    ]
    words = labels()
    shown += [label for key, label in words.items() if SENTENCES.fullmatch(key)]
    shown.append(max((label for key, label in words.items() if key.startswith("note_")), key=len))  # one at a time
    assert sum(len(body.split()) for body in shown) <= 250


def test_every_label_is_used():
    code = "".join(
        path.read_text()
        for folder in ("txlviz/ui", "txlviz/figures", "pages")
        for pattern in ("**/positions*.py", "**/relative_positions.py", "shift_stepper/**/*.*", "term_table/**/*.*")
        for path in (ROOT / folder).glob(pattern)
        if path.suffix in (".py", ".js")
    )
    built = re.compile(r"(step|note|table|formula|term|cell)_\w+|\w+_of|rewrite_step|collide_(near|far)|renumber_level_0")
    unused = [key for key in labels() if not built.fullmatch(key) and not re.search(rf"\b{key}\b", code)]
    assert not unused
