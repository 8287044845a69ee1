"""What the stepper of the relative shift sends to the browser."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import txlviz
from txlviz.analysis.layer_inputs import layer_inputs
from txlviz.analysis.shift_window import shift_window
from txlviz.ui import shift_stepper
from txlviz.ui.positions.words import labels

ROOT = Path(__file__).parents[2]
TEXT = "The river rises in the hills and flows past the old mill."


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
