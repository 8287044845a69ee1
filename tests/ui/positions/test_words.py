"""The words of the Relative positions page."""

from __future__ import annotations

import re
from pathlib import Path

from txlviz.content import sections
from txlviz.ui.positions.words import labels

ROOT = Path(__file__).parents[3]
FOLDED = re.compile(r"collide|renumber|rewrite|sinusoids")
ASKED_FOR = re.compile(r"help_|labels$|other_script$|no_record$")  # behind a question mark; in the place of others
SENTENCES = re.compile(
    r"(figure|count|curves|length)_title|length_(source|trained)|check_good"
)  # labels that are read as prose


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
        for pattern in (
            "**/positions*.py",
            "positions/*.py",
            "**/relative_positions.py",
            "shift_stepper/**/*.*",
            "term_table/**/*.*",
        )
        for path in (ROOT / folder).glob(pattern)
        if path.suffix in (".py", ".js")
    )
    built = re.compile(r"(step|note|table|formula|term|cell)_\w+|\w+_of|rewrite_step|collide_(near|far)|renumber_level_0")
    unused = [key for key in labels() if not built.fullmatch(key) and not re.search(rf"\b{key}\b", code)]
    assert not unused
