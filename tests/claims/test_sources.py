"""Where a claim is made, and what isn't a paper's, is said as it is."""

from __future__ import annotations

import re
from pathlib import Path

from txlviz.analysis import eval_speed
from txlviz.claims import said
from txlviz.content import sections
from txlviz.models.attentions import longformer
from txlviz.ui.landscape.words import label

ROOT = Path(__file__).parents[2]
CAUSAL = "longformer-causal"


def test_evaluation_speed_is_section_4_5() -> None:
    assert "section 4.5" in str(eval_speed.__doc__)
    assert "section 4.5" in said.made(9)
    assert "section 4.4" in said.made(8)  # that one is “Generated Text”


def test_the_paper_doesnt_say_what_recurrence_adds_to_the_parameters() -> None:
    assert "section 3.2" not in said.made(7)
    assert "doesn't say so" in said.made(7)


def test_the_causal_longformer_is_said_to_be_our_own_wherever_it_is_named() -> None:
    """The paper's language model has no global tokens, and windows that grow by layer."""
    for text in (label(f"name_{CAUSAL}"), label(f"paper_{CAUSAL}"), label("row_longformer"), label("short_longformer")):
        assert re.search(r"\bour(s)?\b", text, re.IGNORECASE), text
    landscape, claims = sections("landscape"), sections(said.PAGE)
    for text in (
        landscape[f"gives_{CAUSAL}"],
        landscape["quality_fold_text"],
        claims["answer_19"],
        str(longformer.visible.__doc__),
    ):
        assert re.search(r"\bour own\b", text, re.IGNORECASE), text
        assert "no global token" in " ".join(text.split()), text
    for line in claims["numbers_19"].splitlines():
        assert (CAUSAL in line) == ("(ours)" in line), line
    for path in (ROOT / "README.md", ROOT / "checkpoints" / "README.md"):
        for line in re.findall(r"[^\n]*causal Longformer[^\n]*", path.read_text(encoding="utf-8")):
            assert "our" in line, line
